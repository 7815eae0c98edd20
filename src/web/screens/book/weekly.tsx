import type { VNode } from 'preact'
import type { Sut } from '../../data/objects.ts'
import type { Reserved } from '../../features/reserve/reserved-note.tsx'
import { windowOf } from '../../features/schedule/draft.ts'
import { Dates, Fewer, TimesField } from '../../features/series/fields.tsx'
import { seriesRefusalText } from '../../features/series/series-refusals.ts'
import { useWeekly } from '../../features/series/use-weekly.ts'
import { formatCount } from '../../format/format.ts'
import { meOf, usePage } from '../../page/context.ts'
import { usePeople } from '../../page/use-timeline.ts'
import { Button } from '../../parts/button.tsx'
import { CommandButton } from '../../parts/commands/command-button.tsx'
import { Note } from '../../parts/show/note.tsx'
import type { Take } from './choices.ts'

interface Props {
  readonly sut: Sut
  readonly take: Take
  readonly userId: string
  readonly times: number
  readonly onTimes: (times: number) => void
  readonly onDone: (reserved: Reserved) => void
}

export const Weekly = ({ sut, take, userId, times, onTimes, onDone }: Props): VNode => {
  const page = usePage()
  const now = page.clock.value
  const isAnswered = page.control.isAnswered.value
  const people = usePeople()
  const nameOf = (id: string): string => people.get(id)?.name ?? id
  const weekly = useWeekly({
    sut,
    window: windowOf(take.asked, now, []),
    userId,
    times,
    onDone: (count) => onDone({ machine: take.offer.name, when: `on ${formatCount(count, 'date')}` }),
  })
  const { first, occurrences, failed, isFree, isSending, refused, send } = weekly
  const mayExceed = refused?.problem.code === 'quota_exceeded' && meOf(page).role === 'administrator'
  return (
    <>
      <TimesField first={first} times={times} onChange={onTimes} />
      {occurrences === undefined ? (
        <p class="muted" role="status">
          {failed === undefined ? 'Checking the dates' : `The dates could not be loaded: ${failed.message}`}
        </p>
      ) : (
        <>
          <Dates occurrences={occurrences} nameOf={nameOf} />
          <Fewer occurrences={occurrences} onTimes={onTimes} />
        </>
      )}
      {refused !== undefined && (
        <Note
          kind="danger"
          action={mayExceed && <Button label="Reserve beyond the quota" look="small" onClick={() => send(true)} />}
        >
          {seriesRefusalText(refused.problem)}
        </Note>
      )}
      <CommandButton
        className="btn primary wide"
        isBusy={isSending}
        doing="Reserving…"
        isDisabled={!isFree || !isAnswered}
        onPress={() => send()}
      >
        <span class="clip">
          Reserve <bdi>{take.offer.name}</bdi>
        </span>{' '}
        <span class="nowrap">{formatCount(times, 'time')}</span>
      </CommandButton>
    </>
  )
}
