import { useState } from 'preact/hooks'
import { BeforeTheEnd } from '../../features/holding/before-the-end.tsx'
import { Quota } from '../../features/people/hours.tsx'
import { SessionSection } from '../../features/people/session-section.tsx'
import { TokenSection } from '../../features/people/token-section.tsx'
import { roleTextOf } from '../../features/people/user.ts'
import { meOf, usePage } from '../../page/context.ts'
import type { Theme } from '../../page/theme.ts'
import { Segments } from '../../parts/choose/chip.tsx'
import { CommandButton, useCommand } from '../../parts/commands/command.tsx'
import { useFields } from '../../parts/commands/fields.tsx'
import { Switch } from '../../parts/field.tsx'
import { initialsOf } from '../../parts/initials.ts'
import { Note, RefusedNote } from '../../parts/show/note.tsx'
import { Page, Section } from '../../parts/show/page.tsx'

const THEMES: Readonly<Record<Theme, string>> = { system: 'System', light: 'Light', dark: 'Dark' }

export const Account = () => {
  const page = usePage()
  const leaving = useCommand()
  const me = meOf(page)
  const isTester = me.role === 'tester'
  const changeTheme = (theme: Theme): void => {
    page.theme.value = theme
  }
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
      <SessionSection
        look="danger small"
        question="Sign out of all your browsers, this one too?"
        action="Sign out everywhere"
        back="Stay signed in"
        end={() => page.control.signOut(true)}
      >
        <p class="second">
          This browser stays signed in for 12 hours, renewed while the page is open, for up to seven days. Signing out
          everywhere ends the sessions of all your browsers, including this one. Tokens keep working.
        </p>
      </SessionSection>
      <Section title="Appearance and warnings">
        <div class="stack appearance">
          <div class="row">
            <span class="grow">Theme</span>
            <Segments label="Theme" options={THEMES} value={page.theme.value} onChange={changeTheme} />
          </div>
          <BeforeTheEnd />
        </div>
      </Section>
      <nav class="section row wrap" aria-label="Help">
        <a href="/guide">Guide</a>
        <a href="/docs">API</a>
      </nav>
    </Page>
  )
}

/** Changes one's own password. That ends all sessions, so this browser signs in again with the new one. */
const Password = () => {
  const page = usePage()
  const [isRevoking, setRevoking] = useState(false)
  const [isChanged, setChanged] = useState(false)
  const command = useCommand()
  const { unplaced } = command
  const { values, change, text } = useFields('account', { old_password: '', password: '' }, command.errors)
  const isMissing = values.old_password === '' || values.password === ''
  const submit = (event: Event): void => {
    event.preventDefault()
    if (command.isOff || isMissing) return
    setChanged(false)
    const body = { ...values, ...(isRevoking && { revoke_tokens: true }) }
    void command.send('/api/user/me/password', { body }, async () => {
      await page.control.signIn(meOf(page).name, values.password)
      change({ old_password: '', password: '' })
      setChanged(true)
    })
  }
  const isWrong = unplaced?.problem.code === 'wrong_password'
  return (
    <Section title="Password">
      <form class="password-form" onSubmit={submit}>
        {/* biome-ignore lint/a11y/noAriaHiddenOnFocusable: it only tells password managers whose password it is. */}
        <input
          class="vh"
          name="username"
          autocomplete="username"
          value={meOf(page).name}
          readonly
          tabindex={-1}
          aria-hidden="true"
        />
        {text('old_password', 'Current password', {
          ...{ type: 'password', autocomplete: 'current-password' },
          ...(isWrong && { error: 'That is not your current password.' }),
        })}
        {text('password', 'New password', {
          ...{ type: 'password', autocomplete: 'new-password', placeholder: 'At least 8 characters' },
        })}
        <CommandButton label="Change" command={command} disabled={isMissing} />
      </form>
      <Switch className="small second" label="Also revoke my tokens" isOn={isRevoking} onChange={setRevoking} />
      {!isWrong && <RefusedNote refused={unplaced} />}
      {isChanged && <Note kind="ok">Password changed. Other browsers are signed out.</Note>}
    </Section>
  )
}
