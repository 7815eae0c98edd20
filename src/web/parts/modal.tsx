import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { isFocusLost } from './focus.ts'

interface Props {
  readonly label: string
  readonly className: string
  /** Escape. Without it nothing closes the dialog but its owner. */
  readonly onCancel?: () => void
  readonly children: ComponentChildren
}

/** A dialog above everything else, which can then not be reached. The focus returns to where it was. */
export const Modal = ({ label, className, onCancel, children }: Props) => {
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    const before = document.activeElement as HTMLElement | null
    dialog.current?.showModal()
    const focusAgain = (): void => {
      if (isFocusLost() && before?.isConnected) before.focus()
    }
    // While the dialog is there, nothing else can have the focus.
    return () => queueMicrotask(focusAgain)
  }, [])
  const cancel = (event: Event): void => {
    // A file field has such an event, too: nothing was chosen, or the same file again.
    if (event.target !== dialog.current) return
    event.preventDefault()
    onCancel?.()
  }
  // Browsers let nobody forbid the second Escape in a row.
  const reopen = (): void => {
    if (dialog.current?.isConnected) dialog.current.showModal()
    onCancel?.()
  }
  return (
    <dialog class={className} ref={dialog} aria-label={label} onCancel={cancel} onClose={reopen}>
      {children}
    </dialog>
  )
}
