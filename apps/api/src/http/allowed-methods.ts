/** Which methods each path answers, to tell a wrong method from a wrong path. */
export class AllowedMethods {
  private readonly routes: Array<{ readonly pattern: RegExp; readonly method: string; readonly url: string }> = [];

  add(method: string, url: string): void {
    const pattern = url
      .split('/')
      .map((part) => (part.startsWith(':') ? '[^/]+' : part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)))
      .join('/');
    this.routes.push({ pattern: new RegExp(`^${pattern}$`), method, url });
  }

  /** Every route, as `GET /v1/runs/:runId`. */
  list(): string[] {
    return this.routes.map(({ method, url }) => `${method} ${url}`);
  }

  /** Methods of a path (without its query), sorted; none when there is no such path. */
  of(path: string): string[] {
    const matching = this.routes.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method);
    return [...new Set(matching)].sort();
  }
}
