import { Module } from '@nestjs/common';
import { FulfilOrder } from './fulfil-order.js';
import { Payment } from './services/payment.js';
import { Shipping } from './services/shipping.js';
import { Stock } from './services/stock.js';

/** The shop, as a worker loads it. */
@Module({ providers: [FulfilOrder, Stock, Payment, Shipping] })
export class FulfilOrderModule {}
