const MARK = '…';
const MARK_BYTES = 3;

/** UTF-8 bytes of a text inside JSON, escapes included, quotes not. */
export function jsonBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2;
}

/** The longest beginning of a text that takes at most `maxBytes` inside JSON, marked with `…` when something was cut off. */
export function cutText(text: string, maxBytes: number): string {
  // A UTF-16 unit takes at least a byte: what is over cannot fit, and 10 MB are not scanned.
  if (text.length <= maxBytes && jsonBytes(text) <= maxBytes) return text;
  if (maxBytes < MARK_BYTES) return '';
  let fits = 0;
  let tooLong = Math.min(text.length, maxBytes) + 1;
  while (tooLong - fits > 1) {
    const middle = (fits + tooLong) >> 1;
    if (jsonBytes(beginning(text, middle)) <= maxBytes - MARK_BYTES) fits = middle;
    else tooLong = middle;
  }
  return beginning(text, fits) + MARK;
}

/** Never ends between the halves of a surrogate pair. */
function beginning(text: string, length: number): string {
  const isSplit = /[\uD800-\uDBFF]$/.test(text.charAt(length - 1)) && /^[\uDC00-\uDFFF]/.test(text.charAt(length));
  return text.slice(0, isSplit ? length - 1 : length);
}
