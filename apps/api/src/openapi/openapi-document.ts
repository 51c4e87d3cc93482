import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';

/** Holds the description of the routes, which can only be made once they are there. */
export class OpenApiDocument {
  private document: OpenAPIObject | undefined;

  get(): OpenAPIObject {
    if (this.document === undefined) throw new Error('the description was not made');
    return this.document;
  }

  /** @param metadata the generated one; handed in, because it imports the controllers and one of them imports this */
  async describe(app: INestApplication, metadata: () => Promise<Record<string, unknown>>): Promise<void> {
    // Without it the build's knowledge of comments and rules is lost: the compiler that runs says nothing of types.
    await SwaggerModule.loadPluginMetadata(metadata);
    this.document = SwaggerModule.createDocument(app, description());
  }
}

function description(): Omit<OpenAPIObject, 'paths'> {
  return new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Millrace')
    .setVersion('1')
    .setDescription(
      'Durable job orchestration: submit a run, any worker continues it after its last confirmed step. Errors are problem documents (RFC 9457).',
    )
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addBearerAuth(
      { type: 'http', scheme: 'bearer', description: 'A token of the configuration. Without tokens none is asked for, on loopback only.' },
      'token',
    )
    .build();
}
