import type { VNode } from 'preact'
import { screensFor } from '../../frame/screens.ts'
import { meOf, usePage } from '../../page/context.ts'
import { linkTo } from '../../page/location.ts'
import { Icon } from '../../parts/icon.tsx'
import { Page } from '../../parts/show/page.tsx'
import { texts } from '../../parts/texts.ts'

/** On phones: what the tab bar has no room for. */
export const More = (): VNode => (
  <Page title={texts.screens.more}>
    <nav class="more-list" aria-label={texts.screens.more}>
      {screensFor(meOf(usePage()))
        .filter(({ isInMore }) => isInMore)
        .map(({ name, title, icon }) => (
          <a key={name} class="list-row" href={linkTo(name)}>
            <Icon name={icon} />
            <span>{title}</span>
          </a>
        ))}
      <a class="list-row" href="/guide">
        <Icon name="book" />
        <span>{texts.guide}</span>
      </a>
      <a class="list-row" href="/docs">
        <Icon name="code" />
        <span>{texts.docs}</span>
      </a>
    </nav>
  </Page>
)
