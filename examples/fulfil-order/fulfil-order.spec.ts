import { afterEach, describe, expect, it } from '@jest/globals';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { decodeEntry, type InvalidInput, RunClient, type RunHead, RunWatcher, systemClock, systemRandomness } from '@millrace/durable';
import { classInput, MillraceModule, MillraceWorker } from '@millrace/durable/nest';
import { createPayloadCodec, errorCodec, MemoryStorage } from '@millrace/storage';
import { tracked } from '@millrace/storage/testing';
import { FulfilOrderModule } from './fulfil-order.module.js';
import { Order, totalCents } from './order.js';
import { failuresBefore } from './services/call.js';
import { REFUSED_CARD } from './services/payment.js';

const track = tracked(afterEach);
const codec = { ...createPayloadCodec(), ...errorCodec };
const LIMIT_MS = 20_000;

interface StepRow {
  readonly name: string;
  readonly state: string;
  readonly attempts: number;
}

/** A worker in this process with the shop's module, on a store in memory. */
async function openShop() {
  const storage = await track(MemoryStorage.open({ namespace: 'shop' }));

  @Module({ imports: [MillraceModule.forRoot({ storage, codec, options: { name: 'shop-worker' } }), FulfilOrderModule] })
  class ShopWorker {}
  const app = await track(NestFactory.createApplicationContext(ShopWorker, { logger: false }));
  await app.get(MillraceWorker).start();

  const { runs, inspector, registry } = storage;
  const shared = { clock: systemClock, random: systemRandomness, inspector };
  const watcher = await track(new RunWatcher({ ...shared, emit: () => undefined }));
  const client = new RunClient({ ...shared, namespace: 'shop', runs, registry, codec, watcher });

  return {
    /** Submits an order and waits for the end of its run. */
    async fulfil(order: Order): Promise<RunHead> {
      const { run } = await client.submit({ workflow: 'fulfil-order', input: order, idempotencyKey: order.orderId });
      return client.wait(run.runId, { timeoutMs: LIMIT_MS });
    },
    async stepsOf({ runId, journalEnd }: RunHead): Promise<StepRow[]> {
      const { entries } = await inspector.readJournal({ runId, from: 0, journalEnd });
      return entries.flatMap(([number, text]) => {
        const entry = decodeEntry(text, number);
        return entry === null ? [] : [{ name: entry.name, state: entry.state, attempts: entry.kind === 'step' ? entry.used : 0 }];
      });
    },
  };
}

function orderOf(orderId: string, cardToken = 'tok-visa'): Order {
  return {
    orderId,
    customer: 'ada@example.org',
    cardToken,
    lines: [
      { sku: 'mug', quantity: 2, unitPriceCents: 1250 },
      { sku: 'teapot', quantity: 1, unitPriceCents: 3900 },
    ],
  };
}

/** An attempt for every failure that the services have in store for an order, and one that succeeds. */
const attemptsAt = (service: string, orderId: string) => failuresBefore(service, orderId) + 1;

/** Between them these orders meet every number of failures at every service. */
const orderIds = ['order-1', 'order-2', 'order-3', 'order-4', 'order-5', 'order-6'];

describe('fulfil-order', () => {
  it.each(orderIds)('fulfils %s, however often its services fail first', async (orderId) => {
    const shop = await openShop();
    const order = orderOf(orderId);
    const run = await shop.fulfil(order);
    expect(run).toMatchObject({ status: 'completed' });
    expect(codec.decode(run.output ?? '')).toEqual({
      orderId,
      reservationId: expect.stringMatching(/^hold-[0-9a-f]{12}$/),
      receiptId: expect.stringMatching(/^receipt-[0-9a-f]{12}$/),
      amountCents: 6400,
      trackingId: expect.stringMatching(/^track-[0-9a-f]{12}$/),
    });
    expect(await shop.stepsOf(run)).toEqual([
      { name: 'reserve', state: 'completed', attempts: attemptsAt('stock', orderId) },
      { name: 'charge', state: 'completed', attempts: attemptsAt('payment', orderId) },
      { name: 'cool-off', state: 'done', attempts: 0 },
      { name: 'pack', state: 'completed', attempts: attemptsAt('packing of mug', orderId) },
      { name: 'pack', state: 'completed', attempts: attemptsAt('packing of teapot', orderId) },
      { name: 'dispatch', state: 'completed', attempts: attemptsAt('carrier', orderId) },
    ]);
  });

  it('meets every number of failures in these tests', () => {
    expect(new Set(orderIds.map((orderId) => failuresBefore('payment', orderId)))).toEqual(new Set([0, 1, 2]));
  });

  it('releases the reservation of a refused card, which is asked once more by nobody, and fails', async () => {
    const shop = await openShop();
    const run = await shop.fulfil(orderOf('order-7', REFUSED_CARD));
    expect(run.status).toBe('failed');
    expect(codec.decodeError(run.error ?? '')).toMatchObject({
      name: 'StepFailed',
      code: 'step_failed',
      cause: { name: 'CardRefused', message: 'the card of order order-7 was refused' },
    });
    expect(await shop.stepsOf(run)).toEqual([
      { name: 'reserve', state: 'completed', attempts: attemptsAt('stock', 'order-7') },
      { name: 'charge', state: 'failed', attempts: attemptsAt('payment', 'order-7') },
      { name: 'release', state: 'completed', attempts: attemptsAt('stock release', 'order-7') },
    ]);
  });

  it('answers a repeated order with the first run', async () => {
    const shop = await openShop();
    const first = await shop.fulfil(orderOf('order-1'));
    const again = await shop.fulfil(orderOf('order-1'));
    expect(again).toEqual(first);
  });
});

describe('Order', () => {
  it('adds up its lines', () => {
    expect(totalCents(orderOf('order-1'))).toBe(6400);
  });

  it('names every fault', () => {
    let faults: readonly string[] = [];
    try {
      const lines = [{ sku: 'mug', quantity: 0, unitPriceCents: 1.5 }];
      classInput(Order).parse({ orderId: 'order 1', customer: 'ada@example.org', cardToken: '', lines });
    } catch (error) {
      faults = (error as InvalidInput).details.problems.map(({ path }) => path);
    }
    expect(faults).toEqual(['orderId', 'cardToken', 'lines[0].quantity', 'lines[0].unitPriceCents']);
  });
});
