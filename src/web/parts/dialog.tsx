import type { ComponentChildren, VNode } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Button, IconButton } from './button.tsx'
import { isFocusLost } from './focus.ts'
import { Modal } from './modal.tsx'

interface Props {
  readonly title: string
  readonly onClose: () => void
  /** Enter in any field, or the button of type `submit` in the foot. */
  readonly onSubmit: () => void
  readonly isBusy?: boolean
  readonly foot: ComponentChildren | ((close: () => void) => ComponentChildren)
  /** Whether nothing is left to submit, so that Enter closes it. */
  readonly isDone?: boolean
  /** What is asked before it closes, while it shows what is lost then. */
  readonly question?: string | undefined
  readonly children: ComponentChildren
}

/** A form over the page; on phones a page of its own. Escape closes it. */
export const Dialog = (props: Props): VNode => {
  const { title, onClose, onSubmit, isBusy = false, isDone = false, foot, question, children } = props
  const form = useRef<HTMLFormElement>(null)
  // A button that had it may be gone by what it did, or was disabled meanwhile.
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
    else if (!isBusy) onSubmit()
  }
  return (
    <Modal label={title} className="modal" onCancel={close}>
      <form class="sheet" ref={form} onSubmit={submit} novalidate>
        {isBusy && <div class="pop-progress" role="progressbar" aria-label="Sending" />}
        <div class="sheet-head">
          <h1 class="grow clip">
            <bdi>{title}</bdi>
          </h1>
          <IconButton icon="x" label="Close (Esc)" look="quiet" onClick={close} />
        </div>
        <div class="form">{children}</div>
        <div class="sheet-foot">
          {isAsking ? (
            <>
              <span class="grow" role="alert">
                {question}
              </span>
              <Button label="Close" look="quiet" onClick={onClose} />
              <Button label="Go back" look="primary" type="submit" />
            </>
          ) : typeof foot === 'function' ? (
            foot(close)
          ) : (
            foot
          )}
        </div>
      </form>
    </Modal>
  )
}
