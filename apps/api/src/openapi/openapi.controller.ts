import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { Route } from '../http/route.js';
import { OpenApiDocument } from './openapi-document.js';

@ApiTags('health')
@Controller('openapi.json')
export class OpenApiController {
  constructor(private readonly document: OpenApiDocument) {}

  /** This description. */
  @Get()
  @Route('read')
  @ApiOperation({ operationId: 'readOpenApi', summary: 'The OpenAPI 3.1 description of every route' })
  @ApiResponse({ status: 200, description: 'OpenAPI 3.1.0.', content: { 'application/json': { schema: { type: 'object' } } } })
  read(): object {
    return this.document.get();
  }
}
