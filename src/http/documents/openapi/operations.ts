import { logOperations } from './log-operations.ts'
import { reservationOperations, sessionOperations, sutOperations } from './object-operations.ts'
import type { Operation } from './operation.ts'
import { serviceOperations } from './service-operations.ts'
import { loginOperations, tokenOperations, userOperations } from './user-operations.ts'

/** Every operation by route, such as `GET /api/sut/:id`. */
export const operations: Readonly<Record<string, Operation>> = {
  ...reservationOperations,
  ...sutOperations,
  ...sessionOperations,
  ...userOperations,
  ...tokenOperations,
  ...loginOperations,
  ...logOperations,
  ...serviceOperations,
}
