import { readYaml } from './files.ts'

/** The members used by the tests. */
export interface ComposeService {
  readonly profiles: readonly string[]
  readonly image: string
  readonly pull_policy?: string
  readonly read_only?: boolean
  readonly cap_drop: readonly string[]
  readonly environment?: Readonly<Record<string, string | null>>
  readonly command?: readonly string[]
  readonly ports?: readonly string[]
  readonly networks?: readonly string[]
  readonly volumes?: readonly string[]
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
  readonly build?: { readonly dockerfile: string; readonly args: Readonly<Record<string, string>> }
}

export interface Compose {
  readonly services: Readonly<Record<string, ComposeService>>
  readonly volumes: Readonly<Record<string, object>>
  readonly networks: Readonly<Record<string, { readonly internal?: boolean }>>
}

export const compose = readYaml('docker-compose.yml') as Compose

/** A value as compose resolves it: variables replaced by their defaults, `$$` by `$`. */
export const filledIn = (value: string): string => value.replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1').replaceAll('$$', '$')

/** The environment of a service without variables from the host. */
export const environmentOf = (name: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(compose.services[name]?.environment ?? {}).flatMap(([key, value]) =>
      value === null ? [] : [[key, filledIn(value)]],
    ),
  )
