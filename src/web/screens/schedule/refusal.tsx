import type { ComponentChildren } from 'preact'
import type { Sut } from '../../data/objects.ts'
import type { Wanted } from '../../features/queue/card.tsx'
import type { Offer } from '../../features/reserve/available.ts'
import { likeOf, toMatch } from '../../features/reserve/criteria.ts'
import { insteadOf, refusalText } from '../../features/reserve/refusals.ts'
import { parametersOf } from '../../features/reserve/wish.ts'
import type { Stretch } from '../../features/schedule/calendar.ts'
import { beginOf, type Draft, lengthTo } from '../../features/schedule/draft.ts'
import { close } from '../../features/view/view.ts'
import { formatDuration, formatWhen, MINUTE, QUARTER } from '../../format/format.ts'
import { usePage } from '../../page/context.ts'
import { goTo } from '../../page/location.ts'
import { useMachineName, usePersonName } from '../../page/use-timeline.ts'
import { rove } from '../../parts/choose/rove.ts'
import type { Command } from '../../parts/commands/command.tsx'
import { FieldGroup } from '../../parts/field.tsx'
import { Icon, type IconName } from '../../parts/icon.tsx'
import { Name, Note, RefusedNote } from '../../parts/show/note.tsx'
import type { Refused } from '../../service/api.ts'
import { Popover } from './popover.tsx'

interface Props extends Pick<InsteadProps, 'waiting' | 'onBack'> {
  readonly sut: Sut
  readonly draft: Draft
  readonly window: Stretch
  readonly refused: Refused
  /** Reserves it, or any machine like one. */
  readonly onSend: (draft: Draft, like?: Sut) => void
  readonly onWait: (of: Wanted['of']) => void
}

/** The creation second is the first eight hex digits of an id. */
const isRecent = (id: string, now: number): boolean => now - Number.parseInt(id.slice(0, 8), 16) * 1_000 < MINUTE

const freeStretch = ({ problem }: Refused): Stretch | undefined => {
  const next = problem.next_available
  return next ? { from: Date.parse(next.start_time), to: Date.parse(next.end_time) } : undefined
}

const waitOf = ({ draft, onWait }: Props, text: string, of: Wanted['of']): Option | undefined =>
  draft.start === 'now'
    ? { icon: 'queue', text, hint: formatDuration(draft.length), take: () => onWait(of) }
    : undefined

const optionsOf = (props: Props, now: number): InsteadProps['options'] => {
  const { sut, draft, refused, onSend, window } = props
  const until = refused.problem.free_until ? Date.parse(refused.problem.free_until) : undefined
  const next = freeStretch(refused)
  const begin = beginOf(draft, now)
  const isLong = until !== undefined && until - begin >= QUARTER
  return [
    isLong && {
      icon: 'clock',
      text: `${draft.start === 'now' ? 'Now' : formatWhen(window.from, now)} to ${formatWhen(until, now)}`,
      hint: `${formatDuration(until - begin)}, shorter`,
      take: () => onSend({ ...draft, length: lengthTo(until, draft.start, now) }),
    },
    next && {
      icon: 'calendar',
      text: `${formatWhen(next.from, now)} to ${formatWhen(next.to, now)}`,
      hint: `next free ${formatDuration(next.to - next.from)}`,
      take: () => onSend({ ...draft, start: next.from, length: next.to - next.from }),
    },
    {
      ...{ icon: 'machine', text: 'Any similar machine', hint: sut.os === '' ? sut.sut_type.toUpperCase() : sut.os },
      take: () => onSend(draft, sut),
    },
    waitOf(props, 'Wait for it', { sut_id: sut._id }),
  ]
}

const Conflicting = (props: Props) => {
  const { sut, draft, window, refused } = props
  const nameOf = usePersonName()
  const now = usePage().clock.value
  const [first] = refused.problem.conflicts ?? []
  const options = optionsOf(props, now)
  const asked = `Requested: ${draft.start === 'now' ? 'now' : formatWhen(window.from, now)} to ${formatWhen(window.to, now)}`
  const title = first?.turnaround ? `${sut.name} is being reset then` : `${sut.name} was taken`
  return (
    <Instead {...props} title={title} subtitle={asked} options={options}>
      {first !== undefined && (
        <>
          <Name of={first.user_name ?? nameOf(first.user_id)} /> has it from{' '}
          {formatWhen(Date.parse(first.start_time), now)} to {formatWhen(Date.parse(first.end_time), now)}
          {isRecent(first._id, now) ? ', reserved a moment ago' : ''}.{' '}
          {first.turnaround && 'It needs its turnaround in between. '}
        </>
      )}
      Nothing was booked for you.
    </Instead>
  )
}

const NoneFree = (props: Props) => {
  const { sut, draft, window, refused, onSend } = props
  const now = usePage().clock.value
  const { next, longest } = insteadOf(refused.problem, useMachineName())
  const begin = beginOf(draft, now)
  const optionOf = ({ sutId, name, from, to }: Offer, icon: Option['icon'], hint: string): Option => {
    const start = from <= begin ? draft.start : from
    return {
      ...{ icon, hint, text: `${name}, ${formatWhen(Math.max(from, begin), now)} to ${formatWhen(to, now)}` },
      take: () => onSend({ sutId, start, length: lengthTo(to, start, now) }),
    }
  }
  const chooseOther = (): void => {
    close()
    goTo('book', undefined, parametersOf({ criteria: likeOf(sut), start: draft.start, length: draft.length }))
  }
  const options = [
    longest && optionOf(longest, 'clock', `${formatDuration(longest.to - Math.max(longest.from, begin))}, shorter`),
    next && optionOf(next, 'calendar', 'next free'),
    waitOf(props, 'Wait for any', { match: toMatch(likeOf(sut)) }),
    { icon: 'plus', text: 'Choose by properties', hint: 'any machine', take: chooseOther } as const,
  ]
  return (
    <Instead {...props} title={`Reserve a machine like ${sut.name}`} subtitle="Nothing was booked" options={options}>
      {refusalText(refused.problem, window)}
    </Instead>
  )
}

export const Refusal = (props: Props) =>
  props.refused.problem.code === 'no_sut_free' ? <NoneFree {...props} /> : <Conflicting {...props} />

interface Option {
  readonly icon: IconName
  readonly text: string
  readonly hint?: string
  readonly take: () => void
}

interface InsteadProps {
  readonly title: string
  readonly subtitle: string
  /** The first is the best; those that cannot be had are nothing. */
  readonly options: readonly (Option | false | undefined)[]
  readonly waiting: Command
  readonly onBack: () => void
  /** Why it cannot be had. */
  readonly children: ComponentChildren
}

/** What can be had in place of what was refused: one press takes it. The last one leads back to the form. */
const Instead = ({ title, subtitle, options, waiting, onBack, children }: InsteadProps) => {
  const isAnswered = usePage().control.isAnswered.value
  const back: Option = { icon: 'edit', text: 'Choose another time', take: onBack }
  const all = [...options, back].filter((option) => typeof option === 'object')
  return (
    <Popover title={title} subtitle={subtitle}>
      <div class="pop-body">
        <Note kind="danger" icon="lock">
          {children}
        </Note>
        <RefusedNote refused={waiting.refused} />
        <FieldGroup label="Reserve instead">
          <div class="stack choices" onKeyDown={(event: KeyboardEvent) => void rove(event, '.choice')}>
            {all.map(({ icon, text, hint, take }, n) => (
              <button
                key={text}
                type="button"
                class={n === 0 ? 'row num choice first' : 'row num choice'}
                disabled={!isAnswered && take !== onBack}
                onClick={take}
              >
                <Icon name={icon} />
                <b class="medium clip">
                  <bdi>{text}</bdi>
                </b>{' '}
                <span class="small muted nowrap">{hint}</span>
              </button>
            ))}
          </div>
        </FieldGroup>
      </div>
    </Popover>
  )
}
