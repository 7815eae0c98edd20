import * as E from 'fp-ts/lib/Either.js'
import type { Quota } from '../domain/events/user.ts'
import { changeQuota, parseQuota, QUOTA_DEFAULT, type QuotaChange } from '../domain/user/quota.ts'
import type { Read, ReadVariable } from './read.ts'

/** Limits that are left out stay as they are without the variable. */
const quota: Read<Quota> = (value) =>
  E.map((change: QuotaChange | null) => changeQuota(QUOTA_DEFAULT, change ?? {}))(parseQuota(value))

/** Reads the quota of testers without one of their own. */
export const readQuotaDefault = (read: ReadVariable): Quota => read('BERTH_QUOTA_DEFAULT', quota, QUOTA_DEFAULT)
