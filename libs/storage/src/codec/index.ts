export { encodeError, errorCodec } from './error-codec.js';
export { createPayloadCodec, type PayloadCodecOptions } from './payload-codec.js';
