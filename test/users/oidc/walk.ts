/** The cookies of a browser, for one host. */
const makeJar = () => {
  const cookies = new Map<string, string>()
  return {
    header: (): string => [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    take: (response: Response): void => {
      for (const cookie of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
        if (value === '') cookies.delete(name)
        else cookies.set(name, value)
      }
    },
  }
}

/** Where a form of the provider's pages is sent. */
const actionOf = (page: string): string => /<form[^>]* action="([^"]+)"/.exec(page)?.[1] ?? ''

/** Signs in at the provider as a browser does: logs in and consents. Returns the address that it ends at. */
export const signInAt = async (url: string, name: string, redirectUri: string): Promise<URL> => {
  const jar = makeJar()
  const go = async (address: URL, form?: Record<string, string>): Promise<Response> => {
    const response = await fetch(address, {
      redirect: 'manual',
      headers: { cookie: jar.header() },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    })
    jar.take(response)
    return response
  }
  let address = new URL(url)
  let form: Record<string, string> | undefined
  for (let step = 0; step < 20; step++) {
    const response = await go(address, form)
    form = undefined
    const location = response.headers.get('location')
    if (location !== null) {
      address = new URL(location, address)
      if (address.href.startsWith(redirectUri)) return address
      continue
    }
    const page = await response.text()
    if (response.status !== 200)
      throw new Error(`${address.pathname} answered ${response.status}: ${page.slice(0, 300)}`)
    const isLogin = page.includes('name="login"')
    address = new URL(actionOf(page), address)
    form = isLogin ? { prompt: 'login', login: name, password: 'any' } : { prompt: 'consent' }
  }
  throw new Error('the sign-in does not end')
}
