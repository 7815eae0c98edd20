import type RFB from '@novnc/novnc'
import { useRef } from 'preact/hooks'
import { extendTo, USUAL_MS } from '../../features/holding/extend.tsx'
import type { ReservationCommand } from '../../features/holding/use-reservation.ts'
import type { Booked } from '../../features/schedule/calendar.ts'
import { formatDuration, formatWhen } from '../../format/format.ts'
import { usePage } from '../../page/context.ts'
import { isNear } from '../../page/warning.ts'
import { Button, IconButton } from '../../parts/button.tsx'
import { type Choice, MoreMenu } from '../../parts/choose/menu.tsx'
import { CommandButton } from '../../parts/commands/command.tsx'
import { CopyButton } from '../../parts/copy.tsx'
import { Field } from '../../parts/field.tsx'
import { useFloating } from '../../parts/floating.ts'
import { Icon } from '../../parts/icon.tsx'

/** How long the reservation lasts. */
export const Left = ({ own }: { readonly own: Booked }) => {
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

export const USUALLY_SHOWN = { isFitted: true, isViewOnly: false, quality: 6 }
type Shown = typeof USUALLY_SHOWN

/** 0 to 9. */
const QUALITIES: Readonly<Record<string, number>> = { 'Low quality': 1, 'Medium quality': 6, 'High quality': 9 }

export const showAs = (rfb: RFB, { isFitted, isViewOnly, quality }: Shown): void => {
  rfb.scaleViewport = isFitted
  rfb.clipViewport = !isFitted
  rfb.viewOnly = isViewOnly
  rfb.qualityLevel = quality
}

export const ShownMenu = ({ shown, onShow }: { readonly shown: Shown; readonly onShow: (shown: Shown) => void }) => {
  const choices: readonly Choice[] = [
    { key: 'fit', text: 'Fit to window', isChosen: shown.isFitted },
    { key: 'view', text: 'View only', isChosen: shown.isViewOnly },
    ...Object.entries(QUALITIES).map(([text, quality]) => ({ key: text, text, isChosen: shown.quality === quality })),
  ]
  const onChoose = (key: string): void => {
    if (key === 'fit') onShow({ ...shown, isFitted: !shown.isFitted })
    else if (key === 'view') onShow({ ...shown, isViewOnly: !shown.isViewOnly })
    else onShow({ ...shown, quality: QUALITIES[key] ?? shown.quality })
  }
  return <MoreMenu label="View options" isMultiple choices={choices} onChoose={onChoose} />
}

/**
 * The clipboard of the machine, as text that one can read and write: over plain HTTP browsers let no page at their own.
 */
export const Clipboard = ({ rfb, text }: { readonly rfb: RFB; readonly text: string }) => {
  const { isOpen, floating, buttonProps, floatingProps } = useFloating()
  const field = useRef<HTMLTextAreaElement>(null)
  const send = (): void => {
    rfb.clipboardPasteFrom(field.current?.value ?? '')
    floating.current?.hidePopover()
    rfb.focus()
  }
  return (
    <>
      <IconButton icon="clipboard" label="Clipboard" look="quiet" {...buttonProps} />
      <div class="pop" role="dialog" aria-label="Machine clipboard" {...floatingProps}>
        {isOpen && (
          <div class="pop-body">
            <Field id="clipboard" label="Machine clipboard">
              <textarea
                {...{ id: 'clipboard', class: 'input', rows: 6, maxlength: 262_144, ref: field, defaultValue: text }}
                autofocus
              />
            </Field>
            <div class="row">
              <Button label="Send to machine" look="primary" onClick={send} />
              <CopyButton text={text} label="Copy machine clipboard" />
            </div>
          </div>
        )}
      </div>
    </>
  )
}

/** X11 keysyms: Latin-1 is itself, the rest of Unicode follows 0x01000000 (X Window System Protocol, appendix A). */
const keysymOf = (character: string): number => {
  const point = character.codePointAt(0) as number
  return point <= 0xff ? point : 0x0100_0000 + point
}

const RETURN = 0xff0d
const BACKSPACE = 0xff08

interface KeysProps {
  readonly rfb: RFB
  readonly own: Booked | undefined
  readonly command: ReservationCommand
}

/** On phones. What is typed into a field that nobody sees, which opens the keyboard, is sent to the machine. */
export const PhoneKeys = ({ rfb, own, command }: KeysProps) => {
  const field = useRef<HTMLTextAreaElement>(null)
  const onInput = (event: InputEvent): void => {
    if (event.inputType === 'deleteContentBackward') rfb.sendKey(BACKSPACE, 'Backspace')
    else if (event.inputType === 'insertLineBreak') rfb.sendKey(RETURN, 'Enter')
    else for (const character of event.data ?? '') rfb.sendKey(keysymOf(character), null)
    // Something to delete must be there, or phones tell nothing of it.
    if (field.current !== null) field.current.value = ' '
  }
  return (
    <div class="row screen-keys phone-only">
      <Button label="Keyboard" onClick={() => field.current?.focus()} />
      <textarea
        {...{ class: 'vh', ref: field, tabindex: -1, autocapitalize: 'off', autocomplete: 'off', spellcheck: false }}
        aria-label="Text for the machine"
        onInput={onInput}
      >
        {' '}
      </textarea>
      <Button label="Ctrl Alt Del" onClick={() => rfb.sendCtrlAltDel()} />
      {own && (
        <CommandButton look="primary" command={command} onPress={() => extendTo(command, own.to + USUAL_MS)}>
          Extend 30 m
        </CommandButton>
      )}
    </div>
  )
}
