import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { expect } from 'vitest';

/** The assistant's gate as an MCP client of a key's holder sees it. */
export interface Assistant {
  client: Client;
  /** Calls a tool, asserts that it succeeds and that its text is the same as its content, and returns the content. */
  ask: <Content = Record<string, unknown>>(tool: string, given?: object) => Promise<Content>;
  /** Calls a tool, asserts that it fails, and returns the message. */
  refusal: (tool: string, given?: object) => Promise<string>;
  close: () => Promise<void>;
}

/** Connects the SDK's own client with these headers. */
export async function connectAssistant(
  { url }: { url: string },
  headers: Record<string, string>,
): Promise<Assistant> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } });
  await client.connect(transport);
  const call = async (name: string, given: object) => {
    const params = { name, arguments: { ...given } };
    const result = CallToolResultSchema.parse(await client.callTool(params));
    const [part] = result.content;
    expect(result.content).toHaveLength(1);
    return { ...result, text: part?.type === 'text' ? part.text : '' };
  };
  return {
    client,
    ask: async <Content>(tool: string, given = {}) => {
      const { isError, text, structuredContent } = await call(tool, given);
      expect({ tool, isError, text }).toEqual({ tool, isError: undefined, text });
      expect(JSON.parse(text)).toEqual(structuredContent);
      return structuredContent as Content;
    },
    refusal: async (tool, given = {}) => {
      const { isError, text, structuredContent } = await call(tool, given);
      expect({ tool, isError, structuredContent }).toEqual({
        tool,
        isError: true,
        structuredContent: undefined,
      });
      return text;
    },
    close: () => client.close(),
  };
}

/** Sends one message without the SDK: what a client sends to a node that has not seen it before. */
export const sendMessage = (
  { url }: { url: string },
  headers: Record<string, string>,
  message: unknown,
  signal: AbortSignal | null = null,
): Promise<Response> =>
  fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: typeof message === 'string' ? message : JSON.stringify(message),
    signal,
  });

/** Returns the message that calls a tool. */
export const toolCall = (name: string, given: object = {}, id = 1) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: given },
});
