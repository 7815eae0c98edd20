import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Button, IconButton } from '../button.tsx'
import { isFocusLost } from '../focus.ts'
import { Modal } from '../modal.tsx'
import { RefusedNote } from '../show/note.tsx'
import type { Command } from './command.tsx'
import { CommandButton } from './command.tsx'

interface Props {
  readonly title: string
  /** What sends it. Its refusal is shown above the fields, unless they say it. */
  readonly command: Command
  /** What the button says that sends it, as Enter in any field does. */
  readonly action: string
  readonly isReady?: boolean
  readonly onSubmit: () => unknown
  readonly onClose: () => void
  /** Whether nothing is left to send, so that Enter closes it. */
  readonly isDone?: boolean
  /** What is asked before it closes, while it shows what is lost then. */
  readonly question?: string | undefined
  readonly beside?: ComponentChildren
  readonly children: ComponentChildren
}

/** A form over the page; on phones a page of its own. Escape closes it. */
export const Dialog = (props: Props) => {
  const { title, command, isReady = true, onClose, isDone = false, question } = props
  const form = useRef<HTMLFormElement>(null)
  // A button that had it may be gone by what it did.
  useEffect(() => {
    if (isFocusLost()) form.current?.querySelector<HTMLElement>('.sheet-foot [type=submit]:enabled')?.focus()
  })
  const [wantsToClose, setWantsToClose] = useState(false)
  const isAsking = wantsToClose && question !== undefined
  const close = (): void => (question === undefined || isAsking ? onClose() : setWantsToClose(true))
  const submit = (event: Event): void => {
    event.preventDefault()
    if (isAsking) setWantsToClose(false)
    else if (isDone) close()
    else if (isReady && !command.isOff) props.onSubmit()
  }
  const foot = isAsking ? (
    <>
      <span class="grow" role="alert">
        {question}
      </span>
      <Button label="Close" look="quiet" onClick={onClose} />
      <Button label="Go back" look="primary" type="submit" />
    </>
  ) : (
    <>
      {props.beside ?? <span class="grow" />}
      {isDone ? (
        <Button label="Done" look="primary" type="submit" />
      ) : (
        <>
          <Button label="Cancel" look="quiet" onClick={close} />
          <CommandButton label={props.action} look="primary" command={command} disabled={!isReady} />
        </>
      )}
    </>
  )
  return (
    <Modal label={title} className="modal" onCancel={close}>
      <form class="sheet" ref={form} onSubmit={submit} novalidate>
        {command.isBusy && <div class="pop-progress" role="progressbar" aria-label="Sending" />}
        <div class="row sheet-head">
          <h1 class="grow clip">
            <bdi>{title}</bdi>
          </h1>
          <IconButton icon="x" label="Close (Esc)" look="quiet" onClick={close} />
        </div>
        <div class="form">
          <RefusedNote refused={command.unplaced} />
          {props.children}
        </div>
        {/* The button that has the focus becomes no other one. */}
        <div class="row sheet-foot" key={isAsking ? 'question' : 'buttons'}>
          {foot}
        </div>
      </form>
    </Modal>
  )
}
