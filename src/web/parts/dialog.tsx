import type { ComponentChildren, VNode } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { isFocusLost } from './focus.ts'
import { Icon } from './icon.tsx'
import { Modal } from './modal.tsx'

interface Props {
  readonly title: string
  readonly onClose: () => void
  /** Enter in any field, or the button of type `submit` in the foot. */
  readonly onSubmit: () => void
  readonly isBusy?: boolean
  /** What is below the line: the buttons. */
  readonly foot: ComponentChildren
  readonly children: ComponentChildren
}

/** A form over the page; on phones a page of its own. Escape closes it. */
export const Dialog = ({ title, onClose, onSubmit, isBusy = false, foot, children }: Props): VNode => {
  const form = useRef<HTMLFormElement>(null)
  // A button that had it may be gone by what it did, or was disabled meanwhile.
  useEffect(() => {
    if (isFocusLost()) form.current?.querySelector<HTMLElement>('.sheet-foot [type=submit]:enabled')?.focus()
  })
  const submit = (event: Event): void => {
    event.preventDefault()
    if (!isBusy) onSubmit()
  }
  return (
    <Modal label={title} className="modal" onCancel={onClose}>
      <form class="sheet" ref={form} onSubmit={submit} novalidate>
        {isBusy && <div class="pop-progress" role="progressbar" aria-label="Sending" />}
        <div class="sheet-head">
          <h1 class="grow clip">
            <bdi>{title}</bdi>
          </h1>
          <button type="button" class="btn icon quiet" aria-label="Close (Esc)" title="Close (Esc)" onClick={onClose}>
            <Icon name="x" />
          </button>
        </div>
        <div class="form">{children}</div>
        <div class="sheet-foot">{foot}</div>
      </form>
    </Modal>
  )
}
