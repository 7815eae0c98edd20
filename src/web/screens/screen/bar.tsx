import type RFB from '@novnc/novnc'
import type { VNode } from 'preact'
import { systemOf } from '../../data/objects.ts'
import type { Commands } from '../../features/holding/commands.ts'
import { ExtendPair, USUAL_MS } from '../../features/holding/extend.tsx'
import type { Booked } from '../../features/schedule/calendar.ts'
import { formatDuration, formatWhen } from '../../format/format.ts'
import { toIso } from '../../format/times.ts'
import { usePage } from '../../page/context.ts'
import { linkTo } from '../../page/location.ts'
import { isNear } from '../../page/warning.ts'
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

/** What is left, or when it was or will be. */
const Left = ({ own }: { readonly own: Booked }): VNode => {
  const page = usePage()
  const now = page.clock.value
  const warning = page.warning.value
  if (own.to <= now) return <span class="left-pill">Ended {formatWhen(own.to, now)}</span>
  if (own.from > now) return <span class="left-pill">From {formatWhen(own.from, now)}</span>
  const className = isNear(own.to, now, warning) ? 'left-pill near' : 'left-pill'
  return (
    <span class={className} role="timer" aria-live="off">
      <Icon name="clock" />
      {formatDuration(own.to - now)} left
    </span>
  )
}

const FullScreen = ({ of }: { readonly of: Element<HTMLElement> }): VNode | undefined =>
  document.fullscreenEnabled ? (
    <button
      type="button"
      class="btn icon quiet"
      aria-label="Full screen"
      title="Full screen"
      onClick={() => of.current?.requestFullscreen()}
    >
      <Icon name="expand" />
    </button>
  ) : undefined

interface Props {
  readonly subject: Subject
  readonly commands: Commands
  readonly isDisabled: boolean
  readonly isRunning: boolean
  readonly rfb: RFB | undefined
  readonly clipboard: string
  readonly shown: Shown
  readonly onShow: (shown: Shown) => void
  readonly onRelease: () => void
  readonly back: Element<HTMLAnchorElement>
  readonly stage: Element<HTMLElement>
}

/** What is above a screen: whose it is, the time left, and the tools. */
export const Bar = (props: Props): VNode => {
  const { subject, commands, isDisabled, isRunning, rfb, clipboard, shown, onShow, onRelease, back, stage } = props
  const { name, sut, own, taken } = subject
  const about = [sut && systemOf(sut), rfb && sizeOf(stage.current)].filter(Boolean).join(', ')
  return (
    <header class="screen-bar">
      <a
        class="btn icon quiet"
        ref={back}
        href={linkTo('mine')}
        aria-label="Back to your reservations"
        title="Back to your reservations"
      >
        <Icon name="left" />
      </a>
      <h1 class="clip">
        <bdi>{name}</bdi>
      </h1>
      <span class="small muted desk-only clip">{about}</span>
      <span class="grow" />
      {own && <Left own={own} />}
      {isRunning && own && (
        <span class="row desk-only">
          <ExtendPair own={own} taken={taken} commands={commands} isDisabled={isDisabled} />
        </span>
      )}
      {rfb !== undefined && (
        <span class="row desk-only tools">
          <button type="button" class="btn quiet" onClick={() => rfb.sendCtrlAltDel()}>
            Ctrl Alt Del
          </button>
          <Clipboard rfb={rfb} text={clipboard} />
          <FullScreen of={stage} />
          <ShownMenu shown={shown} onShow={onShow} />
        </span>
      )}
      {isRunning && (
        <button type="button" class="btn danger desk-only" disabled={isDisabled || commands.isBusy} onClick={onRelease}>
          Release
        </button>
      )}
    </header>
  )
}

/** What is below a screen on phones. */
export const PhoneKeys = ({
  rfb,
  own,
  commands: { run, isBusy },
}: {
  readonly rfb: RFB
  readonly own: Booked | undefined
  readonly commands: Commands
}): VNode => (
  <div class="screen-keys phone-only">
    <PhoneKeyboard rfb={rfb} />
    <button type="button" class="btn" onClick={() => rfb.sendCtrlAltDel()}>
      Ctrl Alt Del
    </button>
    {own && (
      <button
        type="button"
        class="btn primary"
        disabled={isBusy}
        onClick={() => run('extend', { end_time: toIso(own.to + USUAL_MS) })}
      >
        Extend 30 m
      </button>
    )}
  </div>
)
