import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { HoldingProps } from '../../features/holding/extend.tsx'
import { afterText, CommandNote, extendTo, USUAL_MS, useGiveBack } from '../../features/holding/extend.tsx'
import { type ReservationCommand, useReservation } from '../../features/holding/use-reservation.ts'
import { nextTaken } from '../../features/schedule/calendar.ts'
import { formatClock, formatWhen } from '../../format/format.ts'
import { meOf, usePage } from '../../page/context.ts'
import { isNear } from '../../page/warning.ts'
import { Button, IconButton } from '../../parts/button.tsx'
import { CommandButton } from '../../parts/commands/command.tsx'
import { useFields } from '../../parts/commands/fields.tsx'
import { Status } from '../../parts/show/note.tsx'
import { Bar, PhoneKeys } from './bar.tsx'
import { saidOf } from './endings.ts'
import { Over } from './over.tsx'
import { type Subject, useSubject } from './subject.ts'
import { type Shown, showAs, USUALLY_SHOWN } from './tools.tsx'
import { type Asked, useConsole } from './use-console.ts'

interface OverlayProps {
  readonly subject: Subject
  readonly command: ReservationCommand
  readonly console: ReturnType<typeof useConsole>
  readonly isRunning: boolean
  /** Whether one is asked if it is to be released: one question at a time. */
  readonly isAsking: boolean
}

const Overlay = ({ subject, command, console: shown, isRunning, isAsking }: OverlayProps) => {
  const page = usePage()
  const now = page.clock.value
  const warning = page.warning.value
  const { name, own, taken, reservation } = subject
  const { rfb, ending, asked, isMadeAgain, again } = shown
  const said = ending && saidOf(ending, { name, end: own?.to, me: meOf(page)._id })
  const isOver = said !== undefined && !isMadeAgain
  const isWaiting = rfb === undefined && asked === undefined && !isOver
  return (
    <>
      {isWaiting && (
        <Status class="screen-wait">
          {said === undefined ? `Connecting to ${name}…` : `${said.title}. Connecting again…`}
        </Status>
      )}
      {asked !== undefined && rfb === undefined && <Credentials name={name} {...asked} />}
      {isOver && !isAsking && <Over said={said} sutId={reservation?.sut_id} taken={taken} onAgain={again} />}
      {command.refused !== undefined && !isOver && (
        <div class="screen-note">
          <CommandNote command={command} />
        </div>
      )}
      {isRunning && own && isNear(own.to, now, warning) && <EndToast own={own} taken={taken} command={command} />}
    </>
  )
}

export const Screen = ({ id = '' }: { readonly id: string | undefined }) => {
  const page = usePage()
  const now = page.clock.value
  const target = useRef<HTMLDivElement>(null)
  const stage = useRef<HTMLElement>(null)
  const back = useRef<HTMLAnchorElement>(null)
  const subject = useSubject(id)
  const shownConsole = useConsole(id, target)
  const { rfb, ending, clipboard, isMadeAgain } = shownConsole
  const command = useReservation(id)
  const [shown, setShown] = useState<Shown>(USUALLY_SHOWN)
  useEffect(() => {
    if (rfb !== undefined) showAs(rfb, shown)
  }, [rfb, shown])
  useEffect(() => rfb?.focus(), [rfb])
  const { name, own } = subject
  const isRunning = own !== undefined && own.from <= now && now < own.to
  const [question, ask] = useGiveBack({ command, name, isRunning: true })
  // Every key goes to the machine, so one must lead out.
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || !event.shiftKey) return
    event.stopPropagation()
    event.preventDefault()
    back.current?.focus()
  }
  return (
    <div class="screen">
      <Bar
        subject={subject}
        command={command}
        isRunning={isRunning}
        rfb={rfb}
        clipboard={clipboard}
        shown={shown}
        onShow={setShown}
        onRelease={() => ask('now')}
        back={back}
        stage={stage}
      />
      <main class={ending !== undefined && !isMadeAgain ? 'screen-stage ended' : 'screen-stage'} ref={stage}>
        <div
          class="screen-target"
          ref={target}
          role="application"
          aria-label={`Screen of ${name}. Shift Escape leaves it.`}
          tabindex={0}
          onFocus={() => rfb?.focus()}
          onKeyDownCapture={onKeyDown}
        />
        <Overlay {...{ subject, command, isRunning, isAsking: question !== false }} console={shownConsole} />
        {question && (
          <div class="screen-over">
            <div class="dialog" role="alertdialog" aria-label={`Release ${name}?`}>
              {question}
            </div>
          </div>
        )}
      </main>
      {rfb !== undefined && <PhoneKeys rfb={rfb} own={own} command={command} />}
    </div>
  )
}

/** Warns before the end, with what can be had. It stays until it is dismissed. */
const EndToast = ({ own, taken, command }: HoldingProps) => {
  const [dismissed, setDismissed] = useState<number | undefined>(undefined)
  if (dismissed === own.to) return undefined
  const end = Math.min(own.to + USUAL_MS, (taken && nextTaken(taken, own)) ?? own.to)
  const free = afterText(taken, own, own.to)
  // A press on it leaves the focus on the screen.
  return (
    <div class="row toast" role="alert" onMouseDown={(event: MouseEvent) => event.preventDefault()}>
      Your time ends at {formatClock(own.to)}.{free && ` It is free ${free}.`}
      {end > own.to && (
        <CommandButton command={command} onPress={() => extendTo(command, end)}>
          Extend to {formatWhen(end, own.to)}
        </CommandButton>
      )}
      <IconButton icon="x" label="Dismiss" look="small" onClick={() => setDismissed(own.to)} />
    </div>
  )
}

const NO_ERRORS: ReadonlyMap<string, string> = new Map()

/** Asks for the password of a machine for which Berth has none. It goes to the machine and is kept nowhere. */
const Credentials = ({ name, rfb, isUserNameNeeded }: Asked & { readonly name: string }) => {
  const [isSent, setSent] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const { values, text } = useFields('machine', { username: '', password: '' }, NO_ERRORS)
  useLayoutEffect(() => form.current?.querySelector('input')?.focus(), [])
  if (isSent) return undefined
  const submit = (event: Event): void => {
    event.preventDefault()
    rfb.sendCredentials({ password: values.password, ...(isUserNameNeeded && { username: values.username }) })
    setSent(true)
  }
  return (
    <div class="screen-over">
      <div class="dialog" role="dialog" aria-label="Machine password">
        <form class="stack" ref={form} onSubmit={submit}>
          <h2>Password for {name}</h2>
          <p class="second">
            The machine asks for a password that Berth does not have. It is sent only to the machine.
          </p>
          {isUserNameNeeded && text('username', 'Name', { required: true })}
          {text('password', 'Password', { type: 'password' })}
          <div class="row">
            <Button label="Connect" look="primary" type="submit" />
          </div>
        </form>
      </div>
    </div>
  )
}
