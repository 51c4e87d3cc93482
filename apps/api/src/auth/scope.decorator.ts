import { SetMetadata } from '@nestjs/common';
import type { Scope } from '../config/api-token.js';

/** Metadata key of the scope that a route takes. */
export const SCOPE = 'millrace:scope';

/** The scope that a route takes; `public` takes no token at all. A route without this decorator is refused to everybody. */
export const RequireScope = (scope: Scope | 'public'): MethodDecorator & ClassDecorator => SetMetadata(SCOPE, scope);
