import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Sut } from '../../data/objects.ts'
import { RequestCard } from '../../features/queue/card.tsx'
import type { Available } from '../../features/reserve/available.ts'
import { refusalText } from '../../features/reserve/refusals.ts'
import { RefusalNote, type Reserved, ReservedNote } from '../../features/reserve/reserve-notes.tsx'
import { windowOf } from '../../features/schedule/draft.ts'
import { useWeekly } from '../../features/series/series.tsx'
import { DatesToBe, TimesField } from '../../features/series/series-fields.tsx'
import { formatCount, formatNumber, formatWhen } from '../../format/format.ts'
import { usePage } from '../../page/context.ts'
import { Loaded } from '../../page/loaded.tsx'
import { Button } from '../../parts/button.tsx'
import { ignoreSecondClick } from '../../parts/commands/command.tsx'
import { Name, Note, RefusedNote, Status } from '../../parts/show/note.tsx'
import { ReserveButton, WaitFields } from './buttons.tsx'
import { ChoiceList } from './choice-list.tsx'
import type { Take } from './choices.ts'
import { isTooHigh, type OfferProps, type Taking, useTaking } from './use-taking.ts'

const countText = ({ fitting, count, wish }: OfferProps, found: Available | undefined): string => {
  const match = `${formatNumber(fitting.length)} of ${formatNumber(count)} match`
  if (found === undefined) return match
  const { free, hasMore } = found
  const many = free.length === 0 ? 'none' : hasMore ? `over ${free.length}` : free.length
  return `${match}, ${many} free ${wish.start === 'now' ? 'now' : 'then'}`
}

const titleOf = ({ isOver, waiting }: Taking): string => {
  if (!isOver) return 'Best match'
  return waiting.id === undefined ? 'Reserved' : 'Asked for'
}

const Over = ({ taking, userId }: { readonly taking: Taking; readonly userId: string }) => {
  const { reserved, waiting, again } = taking
  return (
    <div class="stack over" onClickCapture={ignoreSecondClick}>
      {reserved && <ReservedNote {...reserved} userId={userId} />}
      {waiting.id && <RequestCard id={waiting.id} />}
      <div>
        <Button label="Reserve another" onClick={again} />
      </div>
    </div>
  )
}

const Choosing = ({ taking, found, ...props }: OfferProps & { readonly taking: Taking; readonly found: Available }) => {
  const { wish, fitting, count, isWeekly } = props
  const { now, choices, named, before, choose, booking, book, waiting } = taking
  const take = named?.kind === 'take' ? named : undefined
  const from = take && take.offer.from > now ? `from ${formatWhen(take.offer.from, now)} ` : ''
  const sut = isWeekly && take ? fitting.find(({ _id }) => _id === take.offer.sutId) : undefined
  const { refused } = booking
  const isTaken = refused?.problem.code === 'reservation_conflict'
  return (
    <>
      {before !== undefined && (
        <Note kind="warn">
          <Name of={before} /> is no longer free.{isTaken && ' Nothing was booked.'}
        </Note>
      )}
      {choices.length === 0 ? (
        <p role="status">{noneText(fitting, count)}</p>
      ) : (
        <ChoiceList choices={choices} length={wish.length} chosen={named?.key} onChoose={choose} />
      )}
      {refused !== undefined && !isTaken && (
        <RefusalNote
          refused={refused}
          text={`${refusalText(refused.problem, take ? windowOf(take.asked, now, []) : found.window)} Nothing was booked.`}
          onBeyond={() => take && book(take, true)}
        />
      )}
      {!isTooHigh(waiting) && <RefusedNote refused={waiting.refused} />}
      {take && sut && <Weekly key={take.key} {...props} sut={sut} take={take} onDone={taking.finish} />}
      {take && !isWeekly && (
        <>
          <ReserveButton
            name={take.offer.name}
            when={`${from}until ${formatWhen(take.offer.to, now)}`}
            command={booking}
            disabled={waiting.isBusy}
            onPress={() => book(take)}
          />
          <p class="small muted">If someone takes it first, nothing is booked and the next machine is offered.</p>
        </>
      )}
      {named?.kind === 'wait' && <WaitFields taking={taking} length={wish.length} />}
    </>
  )
}

/** Puts the focus on the heading where the button that had it gives way to what it did. */
const useFocusOnChange = (isOver: boolean) => {
  const heading = useRef<HTMLHeadingElement>(null)
  const before = useRef(isOver)
  useLayoutEffect(() => {
    if (before.current !== isOver) heading.current?.focus()
    before.current = isOver
  }, [isOver])
  return heading
}

export const Offer = (props: OfferProps) => {
  const { reading, userId } = props
  const taking = useTaking(props)
  const heading = useFocusOnChange(taking.isOver)
  return (
    <section class="stack offer" aria-labelledby="offer">
      <div class="row">
        <h2 class="grow" id="offer" tabindex={-1} ref={heading}>
          {titleOf(taking)}
        </h2>
        {!taking.isOver && <Status class="small muted">{countText(props, reading.value)}</Status>}
      </div>
      {taking.isOver ? (
        <Over taking={taking} userId={userId} />
      ) : (
        <Loaded reading={reading} what="What is available" class="stack choices" skeleton={2}>
          {(found) => <Choosing {...props} taking={taking} found={found} />}
        </Loaded>
      )}
    </section>
  )
}

/** Why no machine can be had, of `count` that one may take. */
const noneText = (fitting: readonly Sut[], count: number): string => {
  if (count === 0) return "This person's scope has no machines."
  if (fitting.length === 0) return 'No machines match. Remove a criterion.'
  const inactive = fitting.filter(({ is_active }) => !is_active).length
  const offline = fitting.filter(({ is_active, monitoring }) => is_active && monitoring.status === 'Offline').length
  const out = [inactive > 0 ? `${inactive} inactive` : '', offline > 0 ? `${offline} offline` : '']
  const text = out.filter((part) => part !== '').join(', ')
  if (inactive + offline === fitting.length) return `None can be reserved: ${text}.`
  return `None is free for that long in the next 31 days${text === '' ? '' : ` (${text})`}.`
}

interface WeeklyProps extends Pick<OfferProps, 'userId' | 'times' | 'onTimes'> {
  readonly sut: Sut
  readonly take: Take
  readonly onDone: (reserved: Reserved) => void
}

const Weekly = ({ sut, take, userId, times, onTimes, onDone }: WeeklyProps) => {
  const window = windowOf(take.asked, usePage().clock.value, [])
  const weekly = useWeekly({
    ...{ sut, window, userId, times },
    onDone: (all) => onDone({ machine: take.offer.name, when: `on ${formatCount(all.length, 'date')}` }),
  })
  const { command, first, isFree, reserve } = weekly
  return (
    <>
      <TimesField first={first} times={times} onChange={onTimes} />
      <DatesToBe weekly={weekly} onTimes={onTimes} />
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
