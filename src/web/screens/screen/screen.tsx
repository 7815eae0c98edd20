import { useEffect, useRef, useState } from 'preact/hooks'
import { bookedOf, systemOf, takenOf } from '../../data/objects.ts'
import { CommandNote, ExtendPair, useGiveBack } from '../../features/holding/extend.tsx'
import { type ReservationCommand, useReservation } from '../../features/holding/use-reservation.ts'
import { HOUR } from '../../format/format.ts'
import { meOf, usePage } from '../../page/context.ts'
import { linkTo } from '../../page/location.ts'
import { useMachines, useOneReservation, useReserved } from '../../page/use-timeline.ts'
import { isNear } from '../../page/warning.ts'
import { Button, IconButton } from '../../parts/button.tsx'
import { Status } from '../../parts/show/note.tsx'
import { useConsole } from './console.ts'
import { saidOf } from './endings.ts'
import { Credentials, EndToast, Over } from './over.tsx'
import { Clipboard, Left, PhoneKeys, ShownMenu, showAs, USUALLY_SHOWN } from './tools.tsx'

/** How far back reservations are read: the machine may still be turned around after one, for a day at most. */
const BEFORE_MS = 25 * HOUR
const AHEAD_MS = 7 * 24 * HOUR

/** What a screen is of. Members are undefined until they were read. */
const useSubject = (id: string) => {
  const { minute } = usePage()
  const reservation = useOneReservation(id)
  const machines = useMachines()
  const hour = Math.floor(minute.value / HOUR) * HOUR
  const sutIds = reservation === undefined ? [] : [reservation.sut_id]
  const { value: booked } = useReserved({ from: hour - BEFORE_MS, to: hour + AHEAD_MS }, sutIds)
  const sut = machines.get(reservation?.sut_id ?? '')
  const own = reservation && bookedOf(reservation)
  const taken = sut && booked && takenOf(sut, booked.get(sut._id))
  return { name: sut?.name ?? 'the machine', sut, reservation, own, taken }
}

/** `1280 × 800`: what the machine sends. */
const sizeOf = (target: HTMLElement | null): string => {
  const canvas = target?.querySelector('canvas')
  return canvas ? `${canvas.width} × ${canvas.height}` : ''
}

interface OverlayProps {
  readonly subject: ReturnType<typeof useSubject>
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
  const [shown, setShown] = useState(USUALLY_SHOWN)
  useEffect(() => {
    if (rfb !== undefined) showAs(rfb, shown)
  }, [rfb, shown])
  useEffect(() => rfb?.focus(), [rfb])
  const { name, sut, own, taken } = subject
  const isRunning = own !== undefined && own.from <= now && now < own.to
  const [question, ask] = useGiveBack({ command, name, isRunning: true })
  const fullScreen = () => stage.current?.requestFullscreen()
  // Every key goes to the machine, so one must lead out.
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || !event.shiftKey) return
    event.stopPropagation()
    event.preventDefault()
    back.current?.focus()
  }
  return (
    <div class="screen">
      <header class="row top screen-bar">
        <IconButton icon="left" label="Back to your reservations" look="quiet" ref={back} href={linkTo('mine')} />
        <h1 class="clip">
          <bdi>{name}</bdi>
        </h1>
        <span class="small muted desk-only clip">
          {[sut && systemOf(sut), rfb && sizeOf(stage.current)].filter(Boolean).join(', ')}
        </span>
        <span class="grow" />
        {own && <Left own={own} />}
        {isRunning && (
          <span class="row desk-only">
            <ExtendPair own={own} taken={taken} command={command} />
          </span>
        )}
        {rfb !== undefined && (
          <span class="row desk-only tools">
            <Button label="Ctrl Alt Del" look="quiet" onClick={() => rfb.sendCtrlAltDel()} />
            <Clipboard rfb={rfb} text={clipboard} />
            {document.fullscreenEnabled && (
              <IconButton icon="expand" label="Full screen" look="quiet" onClick={fullScreen} />
            )}
            <ShownMenu shown={shown} onShow={setShown} />
          </span>
        )}
        {isRunning && (
          <Button look="danger" label="Release" class="desk-only" disabled={command.isOff} onClick={() => ask('now')} />
        )}
      </header>
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
