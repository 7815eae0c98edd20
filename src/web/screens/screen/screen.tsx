import { useEffect, useRef, useState } from 'preact/hooks'
import { CommandNote } from '../../features/holding/extend.tsx'
import { GiveBack } from '../../features/holding/give-back.tsx'
import { type ReservationCommand, useReservation } from '../../features/holding/use-reservation.ts'
import { meOf, usePage } from '../../page/context.ts'
import { isNear } from '../../page/warning.ts'
import { Status } from '../../parts/show/note.tsx'
import { Bar, PhoneKeys } from './bar.tsx'
import { Credentials } from './credentials.tsx'
import { saidOf } from './endings.ts'
import { Over } from './over.tsx'
import { type Subject, useSubject } from './subject.ts'
import { EndToast } from './toast.tsx'
import { type Shown, showAs, USUALLY_SHOWN } from './tools.tsx'
import { useConsole } from './use-console.ts'

interface OverlayProps {
  readonly subject: Subject
  readonly command: ReservationCommand
  readonly console: ReturnType<typeof useConsole>
  readonly isRunning: boolean
}

const Overlay = ({ subject, command, console: shown, isRunning }: OverlayProps) => {
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
      {isOver && <Over said={said} sutId={reservation?.sut_id} taken={taken} onAgain={again} />}
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
  const [isAsking, setAsking] = useState(false)
  const [shown, setShown] = useState<Shown>(USUALLY_SHOWN)
  useEffect(() => {
    if (rfb !== undefined) showAs(rfb, shown)
  }, [rfb, shown])
  useEffect(() => rfb?.focus(), [rfb])
  const { name, own } = subject
  const isRunning = own !== undefined && own.from <= now && now < own.to
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
        onRelease={() => setAsking(true)}
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
        <Overlay subject={subject} command={command} console={shownConsole} isRunning={isRunning} />
        {isAsking && (
          <div class="screen-over">
            <div class="dialog" role="alertdialog" aria-label={`Release ${name}?`}>
              <GiveBack command={command} until="now" name={name} isRunning onClose={() => setAsking(false)} />
            </div>
          </div>
        )}
      </main>
      {rfb !== undefined && <PhoneKeys rfb={rfb} own={own} command={command} />}
    </div>
  )
}
