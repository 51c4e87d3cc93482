/** Jest takes `testTimeout` for all projects alike; end-to-end specs start processes and need longer. */
import { jest } from '@jest/globals';

jest.setTimeout(120_000);
