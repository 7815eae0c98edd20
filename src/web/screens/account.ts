import type { VNode } from 'preact'
import { meOf, usePage } from '../page/context.ts'
import { html } from '../parts/html.ts'
import { Icon } from '../parts/icon.ts'
import { texts } from '../parts/texts.ts'

/** Who one is, and the way out. */
export const Account = (): VNode => {
  const page = usePage()
  const me = meOf(page)
  return html`<main class="main"><div class="page">
    <div class="page-head"><h1 class="grow">Your account</h1></div>
    <dl class="facts">
      <dt>${texts.name}</dt><dd><bdi>${me.name}</bdi></dd>
      <dt>Role</dt><dd>${me.role}</dd>
    </dl>
    <div class="section row wrap">
      <button type="button" class="btn" onClick=${() => page.control.signOut(false)}><${Icon} name="out" />${texts.signOut}</button>
      <button type="button" class="btn" onClick=${() => page.control.signOut(true)}>${texts.signOutEverywhere}</button>
      <a class="btn quiet" href="/guide">${texts.guide}</a>
      <a class="btn quiet" href="/docs">${texts.docs}</a>
    </div>
  </div></main>`
}
