import { Injectable } from '@nestjs/common';
import { NonRetryable } from '@millrace/durable';
import { type Order, totalCents } from '../order.js';
import { type Call, idOf, reach } from './call.js';

/** A card that the payment service knows and always refuses. */
export const REFUSED_CARD = 'tok-refused';

export interface Receipt {
  readonly receiptId: string;
  readonly amountCents: number;
}

/** The bank said no. It would say no again, so the step that meets it is not repeated. */
export class CardRefused extends NonRetryable {}

/** The payment service. */
@Injectable()
export class Payment {
  /** @throws CardRefused, ServiceUnavailable */
  async charge(order: Order, call: Call): Promise<Receipt> {
    reach('payment', order.orderId, call);
    if (order.cardToken === REFUSED_CARD) throw new CardRefused(`the card of order ${order.orderId} was refused`);
    return { receiptId: idOf('receipt', call), amountCents: totalCents(order) };
  }
}
