import { Type } from 'class-transformer';
import { ArrayMaxSize, ArrayNotEmpty, IsEmail, IsInt, IsNotEmpty, IsString, Matches, Max, Min, ValidateNested } from 'class-validator';

/** One article of an order. */
export class OrderLine {
  @IsString()
  @IsNotEmpty()
  sku!: string;

  @IsInt()
  @Min(1)
  @Max(1_000)
  quantity!: number;

  @IsInt()
  @Min(0)
  @Max(100_000_000)
  unitPriceCents!: number;
}

/** What a customer ordered: the input of the workflow. Unknown properties are refused, at the door and by the worker. */
export class Order {
  @Matches(/^[A-Za-z0-9-]{1,40}$/)
  orderId!: string;

  @IsEmail()
  customer!: string;

  /** Names the card at the payment service. Never a card number: inputs are stored and shown. */
  @IsString()
  @IsNotEmpty()
  cardToken!: string;

  @ArrayNotEmpty()
  @ArrayMaxSize(100)
  @ValidateNested({ each: true })
  @Type(() => OrderLine)
  lines!: OrderLine[];
}

export function totalCents({ lines }: Order): number {
  return lines.reduce((sum, { quantity, unitPriceCents }) => sum + quantity * unitPriceCents, 0);
}
