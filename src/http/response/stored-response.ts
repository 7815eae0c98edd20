import * as E from 'fp-ts/lib/Either.js'
import type { RetryKey as Kept } from '../../../projections/retry-key.ts'
import { keyReused } from '../../commands/failures.ts'
import type { IdempotencyKey } from '../../commands/idempotency-key.ts'
import type { Version } from '../../read-models/tables/version.ts'
import type { Views } from '../../read-models/views.ts'
import type { Refusal } from '../protocol/problem.ts'
import type { RouteResponse } from '../protocol/route.ts'
import type { Kind } from './objects.ts'

/** The response that shows an object as of a command. */
export type Show = (kind: Kind, version: Version, created: boolean) => RouteResponse

/**
 * The response a retry key got before, from the views: the object as the first response showed it, byte for byte. What
 * another instance has just recorded may be missing here; the command then finds it in the stream.
 */
export const makeStoredResponse =
  (views: Views, show: Show) =>
  ({ candidates }: IdempotencyKey): E.Either<Refusal, RouteResponse> | undefined => {
    for (const candidate of candidates) {
      const version = views.newest('retry_key', candidate.slice(0, 22))
      if (version === undefined) continue
      const { request, of, _id, revision, created } = JSON.parse(version.document) as Kept
      if (request !== candidate.slice(23)) return E.left(keyReused())
      const object = views.asOf(of, _id, revision)
      if (object !== undefined) return E.right(show(of, object, created))
    }
    return undefined
  }
