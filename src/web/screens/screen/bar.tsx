import type RFB from '@novnc/novnc'
import type { RefObject } from 'preact'
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

/** `1280 × 800`: what the machine sends. */
const sizeOf = (target: HTMLElement | null): string => {
  const canvas = target?.querySelector('canvas')
  return canvas ? `${canvas.width} × ${canvas.height}` : ''
}

const Left = ({ own }: { readonly own: Booked }) => {
  const page = usePage()
  const now = page.clock.value
  const warning = page.warning.value
  const isRunning = own.from <= now && now < own.to
  const look = isRunning && isNear(own.to, now, warning) ? 'near' : ''
  return (
    <span class={`row left-pill num medium nowrap ${look}`} role={isRunning ? 'timer' : undefined} aria-live="off">
      {isRunning ? (
        <>
          <Icon name="clock" />
          {formatDuration(own.to - now)} left
        </>
      ) : own.to <= now ? (
        `Ended ${formatWhen(own.to, now)}`
      ) : (
        `From ${formatWhen(own.from, now)}`
      )}
    </span>
  )
}

const FullScreen = ({ of }: { readonly of: RefObject<HTMLElement | null> }) =>
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
  readonly back: RefObject<HTMLAnchorElement | null>
  readonly stage: RefObject<HTMLElement | null>
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

interface KeysProps extends Pick<Props, 'command'> {
  readonly rfb: RFB
  readonly own: Booked | undefined
}

export const PhoneKeys = ({ rfb, own, command }: KeysProps) => (
  <div class="row screen-keys phone-only">
    <PhoneKeyboard rfb={rfb} />
    <Button label="Ctrl Alt Del" onClick={() => rfb.sendCtrlAltDel()} />
    {own && (
      <CommandButton look="primary" command={command} onPress={() => extendTo(command, own.to + USUAL_MS)}>
        Extend 30 m
      </CommandButton>
    )}
  </div>
)
