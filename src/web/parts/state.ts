import type { VNode } from 'preact'
import { html } from './html.ts'
import { Icon, type IconName } from './icon.ts'

interface Props {
  readonly icon: IconName
  readonly title: string
  readonly text?: string | undefined
  readonly children?: unknown
  /** The id of the request that failed. */
  readonly request?: string | undefined
}

/** What a screen shows in place of its content: empty, failed, forbidden. */
export const StateBlock = ({ icon, title, text, children, request }: Props): VNode => html`<div class="void">
  <${Icon} name=${icon} />
  <h2>${title}</h2>
  ${text !== undefined && html`<p>${text}</p>`}
  ${children}
  ${request !== undefined && html`<p class="muted small">Request <span class="mono">${request}</span></p>`}
</div>`
