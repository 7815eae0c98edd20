import type { VNode } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { html } from './html.ts'

interface Props {
  readonly question: string
  readonly action: string
  readonly onConfirm: () => void
  /** What else may be done. */
  readonly also?: { readonly action: string; readonly onConfirm: () => void } | undefined
  /** What the button says that leaves everything as it is. */
  readonly back?: string
  readonly onBack: () => void
  readonly isDisabled?: boolean
}

/** Asks where the button was. Enter confirms. */
export const Confirm = ({
  question,
  action,
  onConfirm,
  also,
  back = 'Keep it',
  onBack,
  isDisabled = false,
}: Props): VNode => {
  const first = useRef<HTMLButtonElement>(null)
  useEffect(() => first.current?.focus(), [])
  return html`<div class="row wrap acts">
    <span class="grow" role="alert">${question}</span>
    <button type="button" class="btn danger" data-first disabled=${isDisabled} ref=${first} onClick=${onConfirm}>${action}</button>
    ${also !== undefined && html`<button type="button" class="btn danger" disabled=${isDisabled} onClick=${also.onConfirm}>${also.action}</button>`}
    <button type="button" class="btn" onClick=${onBack}>${back}</button>
  </div>`
}
