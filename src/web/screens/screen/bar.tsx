import type RFB from '@novnc/novnc'
import { systemOf } from '../../data/objects.ts'
import { ExtendPair, extendTo, USUAL_MS } from '../../features/holding/extend.tsx'
import type { ReservationCommand } from '../../features/holding/use-reservation.ts'
import type { Booked } from '../../features/schedule/calendar.ts'
import { formatDuration, formatWhen } from '../../format/format.ts'
import { usePage } from '../../page/context.ts'
import { linkTo } from '../../page/location.ts'
import { isNear } from '../../page/warning.ts'
import { Button, IconButton } from '../../parts/button.tsx'
import { CommandButton } from '../../parts/commands/command.tsx'
import { Icon } from '../../parts/icon.tsx'
import type { Subject } from './subject.ts'
import { Clipboard, PhoneKeyboard, type Shown, ShownMenu } from './tools.tsx'

export interface Element<A> {
  readonly current: A | null
}

/** `1280 × 800`: what the machine sends. */
const sizeOf = (target: HTMLElement | null): string => {
  const canvas = target?.querySelector('canvas')
  return canvas ? `${canvas.width} × ${canvas.height}` : ''
}

const Left = ({ own }: { readonly own: Booked }) => {
  const page = usePage()
  const now = page.clock.value
  const warning = page.warning.value
  if (own.to <= now) return <span class="row left-pill num medium nowrap">Ended {formatWhen(own.to, now)}</span>
  if (own.from > now) return <span class="row left-pill num medium nowrap">From {formatWhen(own.from, now)}</span>
  const className = `row left-pill num medium nowrap ${isNear(own.to, now, warning) ? 'near' : ''}`
  return (
    <span class={className} role="timer" aria-live="off">
      <Icon name="clock" />
      {formatDuration(own.to - now)} left
    </span>
  )
}

const FullScreen = ({ of }: { readonly of: Element<HTMLElement> }) =>
  document.fullscreenEnabled ? (
    <IconButton icon="expand" label="Full screen" look="quiet" onClick={() => of.current?.requestFullscreen()} />
  ) : undefined

interface Props {
  readonly subject: Subject
  readonly command: ReservationCommand
  readonly isRunning: boolean
  readonly rfb: RFB | undefined
  readonly clipboard: string
  readonly shown: Shown
  readonly onShow: (shown: Shown) => void
  readonly onRelease: () => void
  readonly back: Element<HTMLAnchorElement>
  readonly stage: Element<HTMLElement>
}

export const Bar = (props: Props) => {
  const { subject, command, isRunning, rfb, clipboard, shown, onShow, onRelease, back, stage } = props
  const { name, sut, own, taken } = subject
  const about = [sut && systemOf(sut), rfb && sizeOf(stage.current)].filter(Boolean).join(', ')
  return (
    <header class="row top screen-bar">
      <IconButton icon="left" label="Back to your reservations" look="quiet" ref={back} href={linkTo('mine')} />
      <h1 class="clip">
        <bdi>{name}</bdi>
      </h1>
      <span class="small muted desk-only clip">{about}</span>
      <span class="grow" />
      {own && <Left own={own} />}
      {isRunning && own && (
        <span class="row desk-only">
          <ExtendPair own={own} taken={taken} command={command} />
        </span>
      )}
      {rfb !== undefined && (
        <span class="row desk-only tools">
          <Button label="Ctrl Alt Del" look="quiet" onClick={() => rfb.sendCtrlAltDel()} />
          <Clipboard rfb={rfb} text={clipboard} />
          <FullScreen of={stage} />
          <ShownMenu shown={shown} onShow={onShow} />
        </span>
      )}
      {isRunning && (
        <Button label="Release" look="danger" class="desk-only" disabled={command.isOff} onClick={onRelease} />
      )}
    </header>
  )
}

export const PhoneKeys = ({
  rfb,
  own,
  command,
}: {
  readonly rfb: RFB
  readonly own: Booked | undefined
  readonly command: ReservationCommand
}) => (
  <div class="screen-keys phone-only">
    <PhoneKeyboard rfb={rfb} />
    <Button label="Ctrl Alt Del" onClick={() => rfb.sendCtrlAltDel()} />
    {own && (
      <CommandButton look="primary" command={command} onPress={() => extendTo(command, own.to + USUAL_MS)}>
        Extend 30 m
      </CommandButton>
    )}
  </div>
)
