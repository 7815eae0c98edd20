import { logOperations } from './log-operations.ts'
import { reservationOperations, sessionOperations, sutOperations, userOperations } from './object-operations.ts'
import type { Operation } from './operation.ts'
import { serviceOperations } from './service-operations.ts'

/** Every operation by route, such as `GET /api/sut/:id`. */
export const operations: Readonly<Record<string, Operation>> = {
  ...reservationOperations,
  ...sutOperations,
  ...sessionOperations,
  ...userOperations,
  ...logOperations,
  ...serviceOperations,
}
