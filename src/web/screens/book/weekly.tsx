import type { Sut } from '../../data/objects.ts'
import type { Reserved } from '../../features/reserve/reserve-notes.tsx'
import { RefusalNote } from '../../features/reserve/reserve-notes.tsx'
import { windowOf } from '../../features/schedule/draft.ts'
import { DatesToBe, TimesField } from '../../features/series/series-fields.tsx'
import { seriesRefusalText } from '../../features/series/series-refusals.ts'
import { useWeekly } from '../../features/series/use-series.ts'
import { formatCount } from '../../format/format.ts'
import { usePage } from '../../page/context.ts'
import { ReserveButton } from './buttons.tsx'
import type { Take } from './choices.ts'

interface Props {
  readonly sut: Sut
  readonly take: Take
  readonly userId: string
  readonly times: number
  readonly onTimes: (times: number) => void
  readonly onDone: (reserved: Reserved) => void
}

export const Weekly = ({ sut, take, userId, times, onTimes, onDone }: Props) => {
  const page = usePage()
  const now = page.clock.value
  const weekly = useWeekly({
    sut,
    window: windowOf(take.asked, now, []),
    userId,
    times,
    onDone: (all) => onDone({ machine: take.offer.name, when: `on ${formatCount(all.length, 'date')}` }),
  })
  const { command, first, dates, isFree, reserve } = weekly
  const { refused } = command
  return (
    <>
      <TimesField first={first} times={times} onChange={onTimes} />
      <DatesToBe reading={dates} onTimes={onTimes} />
      {refused !== undefined && (
        <RefusalNote refused={refused} text={seriesRefusalText(refused.problem)} onBeyond={() => reserve(true)} />
      )}
      <ReserveButton
        name={take.offer.name}
        when={formatCount(times, 'time')}
        command={command}
        disabled={!isFree}
        onPress={() => reserve()}
      />
    </>
  )
}
