import type { Clock, Randomness } from '@millrace/durable';
import type { ApiConfig } from './config/config.js';
import type { Logger } from './logging/logger.js';
import type { OpenStorage } from './namespaces/api-storage.js';
import type { PayloadReader } from './runs/stored-view.js';

/** Injection token of the {@link ApiConfig}. */
export const API_CONFIG = Symbol('ApiConfig');
/** Injection token of the codec of payloads and errors. */
export const PAYLOAD_READER = Symbol('PayloadReader');
/** Injection token of the {@link Clock}. */
export const CLOCK = Symbol('Clock');

/** What the API is made of beside its own code. */
export interface ApiDeps {
  readonly config: ApiConfig;
  readonly openStorage: OpenStorage;
  readonly codec: PayloadReader;
  readonly clock: Clock;
  readonly random: Randomness;
  readonly logger: Logger;
  /** The service cannot go on with these settings: the process should end. */
  readonly onFatal: (error: Error) => void;
}
