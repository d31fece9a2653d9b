/** A request to paste. It goes below `$API`, unless it has another base, and has the key in `$KEY`, or in another variable. */
interface Request {
  /** For example `GET /overview`. */
  request: string;
  body?: object | undefined;
  base?: string;
  key?: string;
  accept?: string;
}

/** Returns a request as a command. */
export function curl({ request, body, base = '$API', key = '$KEY', accept }: Request): string {
  const [method = '', path = ''] = request.split(' ');
  const options = method === 'GET' ? '' : ` -X ${method}`;
  const accepted = accept === undefined ? '' : ` -H "Accept: ${accept}"`;
  const json = body ? ` -H "Content-Type: application/json" -d '${JSON.stringify(body)}'` : '';
  return `curl -s${options} -H "X-API-Key: ${key}"${accepted}${json} "${base}${path}"`;
}

/** Returns commands below a line that explains them. */
export const explained = (what: string, ...commands: readonly string[]): string[] =>
  [`# ${what}`, ...commands].map((line) => `  ${line}`);
