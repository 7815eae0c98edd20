import { BeforeTheEnd } from '../../features/holding/before-the-end.tsx'
import { Quota } from '../../features/people/hours.tsx'
import { SessionSection } from '../../features/people/session-section.tsx'
import { TokenSection } from '../../features/people/token-section.tsx'
import { roleTextOf } from '../../features/people/user.ts'
import { meOf, usePage } from '../../page/context.ts'
import type { Theme } from '../../page/theme.ts'
import { Segments } from '../../parts/choose/segments.tsx'
import { CommandButton, useCommand } from '../../parts/commands/command.tsx'
import { initialsOf } from '../../parts/initials.ts'
import { RefusedNote } from '../../parts/show/note.tsx'
import { Page, Section } from '../../parts/show/page.tsx'
import { Password } from './password.tsx'

const THEMES: Readonly<Record<Theme, string>> = { system: 'System', light: 'Light', dark: 'Dark' }

const Appearance = () => {
  const { theme } = usePage()
  const choose = (next: Theme): void => {
    theme.value = next
  }
  return (
    <Section title="Appearance and warnings">
      <div class="stack appearance">
        <div class="row">
          <span class="grow">Theme</span>
          <Segments label="Theme" options={THEMES} value={theme.value} onChange={choose} />
        </div>
        <BeforeTheEnd />
      </div>
    </Section>
  )
}

const Sessions = () => {
  const { control } = usePage()
  return (
    <SessionSection
      look="danger small"
      question="Sign out of all your browsers, this one too?"
      action="Sign out everywhere"
      back="Stay signed in"
      end={() => control.signOut(true)}
    >
      <p class="second">
        This browser stays signed in for 12 hours, renewed while the page is open, for up to seven days. Signing out
        everywhere ends the sessions of all your browsers, including this one. Tokens keep working.
      </p>
    </SessionSection>
  )
}

export const Account = () => {
  const page = usePage()
  const leaving = useCommand()
  const me = meOf(page)
  const isTester = me.role === 'tester'
  return (
    <Page
      class="narrow"
      title="Your account"
      beside={
        <CommandButton
          icon="out"
          label="Sign out"
          command={leaving}
          onPress={() => leaving.run(() => page.control.signOut(false))}
        />
      }
    >
      <RefusedNote refused={leaving.refused} />
      <div class="row who-am-i">
        <span class="avatar me" data-i={initialsOf(me.name)} aria-hidden="true" />
        <div class="grow">
          <div class="medium clip">
            <bdi>{me.name}</bdi>
          </div>
          <div class="small muted">
            {roleTextOf(me.role)}
            {!isTester && ', no quota'}
          </div>
        </div>
      </div>
      {isTester && (
        <section class="section" aria-label="Quota">
          <Quota />
        </section>
      )}
      <Password />
      <TokenSection userId="me" role={me.role} />
      <Sessions />
      <Appearance />
      <nav class="section row wrap" aria-label="Help">
        <a href="/guide">Guide</a>
        <a href="/docs">API</a>
      </nav>
    </Page>
  )
}
