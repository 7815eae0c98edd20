import type { Recorded } from '../../domain/event.ts'
import { COUNTED_MAX } from '../../domain/events/refusals.ts'
import { canonicalJson } from '../../domain/values/canonical-json.ts'
import { millisecondsIn } from '../state/moments.ts'
import type { Report } from '../state/state.ts'

/** Checks what was counted. Other events are left alone. */
export const judgeRefusals = (
  { type, data }: Recorded,
  time: number,
  sutExists: (sutId: string) => boolean,
  report: Report,
): void => {
  if (type !== 'RefusalsCounted') return
  const { from, to, refusals, others } = data
  if (!(millisecondsIn(from) <= millisecondsIn(to) && millisecondsIn(to) <= time))
    report(`counts refusals from ${from} to ${to}, not in order before it was recorded`)
  if (refusals.length > COUNTED_MAX) report(`has ${refusals.length} counts, more than ${COUNTED_MAX}`)
  if (refusals.length === 0 && others === undefined) report('counts nothing')
  const names = refusals.map(({ count: _, ...refused }) => canonicalJson(refused))
  if (new Set(names).size < names.length) report('counts the same in two places')
  for (const { sut_id, match } of refusals) {
    if ((sut_id === undefined) === (match === undefined))
      report('counts what names not exactly one of sut_id and match')
    if (sut_id !== undefined && !sutExists(sut_id)) report(`counts refusals of the SUT ${sut_id}, which does not exist`)
  }
}
