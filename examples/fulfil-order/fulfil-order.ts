import { type RunContext, StepFailed, type StepOptions } from '@millrace/durable';
import { Workflow } from '@millrace/durable/nest';
import { Order } from './order.js';
import { Payment, type Receipt } from './services/payment.js';
import { Shipping } from './services/shipping.js';
import { type Reservation, Stock } from './services/stock.js';

/** What the run answers when the goods are on their way. */
export interface Fulfilment {
  readonly orderId: string;
  readonly reservationId: string;
  readonly receiptId: string;
  readonly amountCents: number;
  readonly trackingId: string;
}

/** For services that are away now and then: five attempts within a few seconds. */
const patient: StepOptions = { attempts: 5, timeout: '10s', backoff: { type: 'exponential', delay: '100ms', max: '2s' } };

/**
 * The order of an ordinary shop: reserve, charge, wait, pack, dispatch. Each step is confirmed once; a worker that dies in
 * between costs a repetition of the step that was under way, and nothing before it.
 */
@Workflow({ name: 'fulfil-order', version: 1, input: Order })
export class FulfilOrder {
  constructor(
    private readonly stock: Stock,
    private readonly payment: Payment,
    private readonly shipping: Shipping,
  ) {}

  async run(run: RunContext, order: Order): Promise<Fulfilment> {
    const reservation = await run.step('reserve', (call) => this.stock.reserve(order, call), patient);
    const receipt = await this.charge(run, order, reservation);
    // The customer may change their mind; a real shop would write '10m', and no worker would hold the run meanwhile.
    await run.sleep('cool-off', '300ms');
    const parcels = await Promise.all(
      order.lines.map((line) => run.step('pack', (call) => this.shipping.pack(order, line, call), patient)),
    );
    const { trackingId } = await run.step('dispatch', (call) => this.shipping.dispatch(order, parcels, call), patient);
    const { orderId } = order;
    return { orderId, reservationId: reservation.reservationId, ...receipt, trackingId };
  }

  /** Without a payment the goods go back to the shelf, also when the worker dies before that: releasing is a step too. */
  private async charge(run: RunContext, order: Order, reservation: Reservation): Promise<Receipt> {
    try {
      return await run.step('charge', (call) => this.payment.charge(order, call), patient);
    } catch (error) {
      if (error instanceof StepFailed) await run.step('release', (call) => this.stock.release(order, reservation, call), patient);
      throw error;
    }
  }
}
