import { Injectable } from '@nestjs/common';
import type { Order } from '../order.js';
import { type Call, idOf, reach } from './call.js';

/** Goods that are kept back for an order. */
export interface Reservation {
  readonly reservationId: string;
  readonly units: number;
}

/** The warehouse. */
@Injectable()
export class Stock {
  /** @throws ServiceUnavailable */
  async reserve({ orderId, lines }: Order, call: Call): Promise<Reservation> {
    reach('stock', orderId, call);
    return { reservationId: idOf('hold', call), units: lines.reduce((sum, { quantity }) => sum + quantity, 0) };
  }

  /** Undoes a reservation. @throws ServiceUnavailable */
  async release({ orderId }: Order, { reservationId }: Reservation, call: Call): Promise<{ readonly released: string }> {
    reach('stock release', orderId, call);
    return { released: reservationId };
  }
}
