import type { VNode } from 'preact'
import { html } from '../parts/html.ts'

/** What giving a machine back is called, and what is asked before. There is no way back: somebody may take it. */
export const giveBackTexts = (
  sutName: string,
  isRunning: boolean,
): { readonly verb: string; readonly question: string } =>
  isRunning
    ? { verb: 'Release', question: `Release ${sutName} now? It is free again at once.` }
    : { verb: 'Cancel', question: `Cancel this reservation of ${sutName}?` }

/** Asks where the button was. Enter confirms. */
export const Confirm = ({
  question,
  action,
  onConfirm,
  onBack,
}: {
  readonly question: string
  readonly action: string
  readonly onConfirm: () => void
  readonly onBack: () => void
}): VNode => html`<div class="row wrap acts">
  <span class="grow" role="alert">${question}</span>
  <button type="button" class="btn danger" data-first ref=${(button: HTMLElement | null) => button?.focus()} onClick=${onConfirm}>${action}</button>
  <button type="button" class="btn" onClick=${onBack}>Keep it</button>
</div>`
