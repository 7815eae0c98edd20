import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Sut } from '../../data/objects.ts'
import { useUsed } from '../../features/people/hours.tsx'
import { RequestCard } from '../../features/queue/card.tsx'
import { asPriority, PRIORITY_MAX, PRIORITY_MIN, priorityText } from '../../features/queue/wants.ts'
import type { Available } from '../../features/reserve/available.ts'
import { refusalText } from '../../features/reserve/refusals.ts'
import { RefusalNote, type Reserved, ReservedNote } from '../../features/reserve/reserve-notes.tsx'
import { windowOf } from '../../features/schedule/draft.ts'
import { useWeekly } from '../../features/series/series.tsx'
import { DatesToBe, TimesField } from '../../features/series/series-fields.tsx'
import { formatCount, formatDuration, formatNumber, formatWhen } from '../../format/format.ts'
import { usePage } from '../../page/context.ts'
import { Loaded } from '../../page/loaded.tsx'
import { Button } from '../../parts/button.tsx'
import { SelectField } from '../../parts/choose/select.tsx'
import { type ButtonOptions, CommandButton, ignoreSecondClick } from '../../parts/commands/command.tsx'
import { TextField } from '../../parts/field.tsx'
import { Name, Note, RefusedNote, Status } from '../../parts/show/note.tsx'
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

const WAITS: readonly (readonly [string, string])[] = [
  ['3600', '1 h'],
  ['14400', '4 h'],
  ['28800', '8 h'],
  ['86400', '24 h'],
  ['604800', '7 days'],
]
const USUAL_WAIT = '86400'

interface ReserveProps extends Pick<ButtonOptions, 'command' | 'disabled' | 'onPress'> {
  readonly name: string
  /** For how long, or how often. */
  readonly when: string
}

const ReserveButton = ({ name, when, ...rest }: ReserveProps) => (
  <CommandButton look="primary" class="wide" doing="Reserving…" {...rest}>
    <span class="clip">
      Reserve <bdi>{name}</bdi>
    </span>{' '}
    <span class="nowrap">{when}</span>
  </CommandButton>
)

/** A place in the queue: how long to wait, and with which priority. */
const WaitFields = ({ taking, length }: { readonly taking: Taking; readonly length: number }) => {
  const { priority, changePriority, booking, waiting, wait } = taking
  const now = usePage().clock.value
  const { value } = useUsed()
  const [seconds, setSeconds] = useState(USUAL_WAIT)
  const until = now + Number(seconds) * 1_000
  // Only testers have a quota. Until it is known, nothing is said of it.
  const most = value?.used?.quota?.priority_max ?? PRIORITY_MAX
  const chosen = asPriority(priority)
  const isWrong = chosen === undefined || chosen > most
  const refusal = isTooHigh(waiting) ? waiting.refused?.message : undefined
  const error = isWrong ? `Enter a whole number from ${PRIORITY_MIN} to ${most}.`.replace('-', '−') : refusal
  return (
    <>
      <SelectField id="wait" label="Wait up to" value={seconds} options={WAITS} onChange={setSeconds} />
      <TextField
        id="priority"
        label="Priority"
        type="number"
        min={PRIORITY_MIN}
        max={most}
        value={priority}
        onInput={changePriority}
        hint={priorityText(chosen ?? 0)}
        error={error}
      />
      <CommandButton
        label={`Join the queue until ${formatWhen(until, now)}`}
        look="primary"
        command={waiting}
        doing="Joining…"
        disabled={booking.isBusy || isWrong}
        onPress={() => wait(Number(seconds))}
      />
      <p class="small muted">
        You get the first matching machine that is free for {formatDuration(length)}. You will see it here, and get a
        notification if you allow them.
      </p>
    </>
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

export const Offer = (props: OfferProps) => {
  const { reading, userId } = props
  const taking = useTaking(props)
  const { isOver, reserved, waiting, again } = taking
  const heading = useRef<HTMLHeadingElement>(null)
  const before = useRef(isOver)
  // The button that had the focus gives way to what it did.
  useLayoutEffect(() => {
    if (before.current !== isOver) heading.current?.focus()
    before.current = isOver
  }, [isOver])
  return (
    <section class="stack offer" aria-labelledby="offer">
      <div class="row">
        <h2 class="grow" id="offer" tabindex={-1} ref={heading}>
          {!isOver ? 'Best match' : waiting.id === undefined ? 'Reserved' : 'Asked for'}
        </h2>
        {!isOver && <Status class="small muted">{countText(props, reading.value)}</Status>}
      </div>
      {isOver ? (
        <div class="stack over" onClickCapture={ignoreSecondClick}>
          {reserved && <ReservedNote {...reserved} userId={userId} />}
          {waiting.id && <RequestCard id={waiting.id} />}
          <div>
            <Button label="Reserve another" onClick={again} />
          </div>
        </div>
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
