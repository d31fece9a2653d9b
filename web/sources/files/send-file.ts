import { ApiError } from '../../http/api-error.ts';
import { OWN_REQUEST, messageIn } from '../../http/api.ts';

/**
 * Sends a file of a source. The browser streams it from the disk.
 *
 * @param onProgress is called with the share that is sent, from 0 to 1.
 * @throws ApiError if the service refuses the file.
 */
export const sendFile = (
  { sourceId, name, file }: { sourceId: string; name: string; file: File },
  { onProgress, signal }: { onProgress: (share: number) => void; signal?: AbortSignal },
): Promise<void> =>
  new Promise((resolve, reject) => {
    // `fetch` does not say how much it has sent.
    const request = new XMLHttpRequest();
    const path = `/api/v1/cost-sources/${encodeURIComponent(sourceId)}/files/${encodeURIComponent(name)}`;
    request.open('PUT', path);
    for (const [header, value] of Object.entries(OWN_REQUEST)) request.setRequestHeader(header, value);
    request.setRequestHeader('Content-Type', 'application/octet-stream');
    request.responseType = 'text';
    request.upload.onprogress = ({ lengthComputable, loaded, total }) => {
      if (lengthComputable && total > 0) onProgress(loaded / total);
    };
    request.onload = () => {
      if (request.status === 200) resolve();
      else reject(refusal(request));
    };
    request.onerror = () => {
      reject(new TypeError('the service cannot be reached'));
    };
    const abort = (): void => {
      request.abort();
    };
    request.onabort = () => {
      reject(new DOMException('the form was left', 'AbortError'));
    };
    request.onloadend = () => signal?.removeEventListener('abort', abort);
    signal?.addEventListener('abort', abort);
    if (signal?.aborted === true) abort();
    else request.send(file);
  });

function refusal(request: XMLHttpRequest): ApiError {
  const { status, responseText } = request;
  const after = request.getResponseHeader('retry-after');
  return new ApiError(messageIn(parsed(responseText)) ?? `The service answered ${status}.`, {
    status,
    headers: new Headers(after === null ? {} : { 'retry-after': after }),
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A proxy before the service answers in its own words.
    return null;
  }
}
