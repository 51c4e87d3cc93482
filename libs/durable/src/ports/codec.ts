/** Turns values of user code into stored text and back: the same types and the same values, or one clear error. */
export interface Codec {
  /**
   * Equal values built the same way give equal texts; a plain JSON value gives its JSON text.
   * `what` names the value in errors ("result of step charge").
   * @throws PayloadError when the value cannot be stored faithfully or is over a limit
   */
  encode(value: unknown, options?: Readonly<{ what?: string }>): string;
  /**
   * The value that was encoded, as a new copy. JSON text that came over HTTP is decoded as JSON.
   * @throws PayloadError (`payload_corrupt`) when the text was not written by this codec
   */
  decode(text: string): unknown;
}

/** Turns whatever user code threw into a small stored text and back into an `Error`. Neither direction ever throws. */
export interface ErrorCodec {
  /** At most `maxBytes` UTF-8 bytes. @defaultValue 2048; less than 256 counts as 256 */
  encodeError(thrown: unknown, options?: Readonly<{ maxBytes?: number }>): string;
  decodeError(text: string): Error;
}
