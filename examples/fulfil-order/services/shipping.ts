import { Injectable } from '@nestjs/common';
import type { Order, OrderLine } from '../order.js';
import { type Call, idOf, reach } from './call.js';

export interface Parcel {
  readonly sku: string;
  readonly quantity: number;
}

export interface Shipment {
  readonly trackingId: string;
  readonly parcels: number;
}

/** The packing station and the carrier. */
@Injectable()
export class Shipping {
  /** @throws ServiceUnavailable */
  async pack({ orderId }: Order, { sku, quantity }: OrderLine, call: Call): Promise<Parcel> {
    reach(`packing of ${sku}`, orderId, call);
    return { sku, quantity };
  }

  /** @throws ServiceUnavailable */
  async dispatch({ orderId }: Order, parcels: readonly Parcel[], call: Call): Promise<Shipment> {
    reach('carrier', orderId, call);
    return { trackingId: idOf('track', call), parcels: parcels.length };
  }
}
