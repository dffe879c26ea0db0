// Messages: their text, what went wrong with them, whether to ask again.

import { host } from "rondo:host";

export function contentText(content, separator = "\n") {
  if (typeof content === "string") return content;
  return content.filter((b) => b.type === "text").map((b) => b.text).join(separator);
}

export const isContextOverflow = (message, contextWindow = 0) => host("ai.overflow", { message, window: contextWindow });
export const isRetryableAssistantError = (message) => host("ai.retryable", { message });
export const isRecoverableLength = (message, desiredMaxOutput) => host("ai.recoverable", { message, max: desiredMaxOutput });

const wait = (ms, signal) =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });

// retryAssistantCall asks again while that makes sense and the policy allows it.
export async function retryAssistantCall(produce, policy, signal, callbacks = {}) {
  let message = await produce();
  if (!policy?.enabled) return message;
  let attempt = 0;
  while (attempt < policy.maxRetries && message.stopReason === "error" && isRetryableAssistantError(message)) {
    const delay = policy.baseDelayMs * 2 ** attempt++;
    await callbacks.onRetryScheduled?.(attempt, policy.maxRetries, delay, message.errorMessage ?? "");
    await wait(delay, signal);
    if (signal?.aborted) {
      message = { ...message, stopReason: "aborted" };
      break;
    }
    await callbacks.onRetryAttemptStart?.();
    message = await produce();
  }
  const success = message.stopReason !== "error" && message.stopReason !== "aborted";
  if (attempt > 0) await callbacks.onRetryFinished?.(success, attempt, success ? undefined : message.errorMessage);
  return message;
}

// validateToolArguments returns the arguments, converted where that makes them valid.
export function validateToolArguments(tool, toolCall) {
  return host("schema.validate", { schema: tool.parameters, tool: tool.name, arguments: toolCall.arguments });
}

export function validateToolCall(tools, toolCall) {
  const tool = tools.find((t) => t.name === toolCall.name);
  if (!tool) throw new Error(`There is no tool ${toolCall.name}. There are: ${tools.map((t) => t.name).join(", ") || "none"}.`);
  return validateToolArguments(tool, toolCall);
}

export function formatThrownValue(value) {
  if (value instanceof Error) return value.message || value.name;
  if (typeof value === "string") return value;
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value);
  }
}

export function extractDiagnosticError(error) {
  if (!(error instanceof Error)) return { message: formatThrownValue(error) };
  const { name, message, stack, code } = error;
  return { name, message, ...(stack && { stack }), ...(code !== undefined && { code }) };
}

export const createAssistantMessageDiagnostic = (type, error, details) => ({
  type,
  timestamp: Date.now(),
  ...(error !== undefined && { error: extractDiagnosticError(error) }),
  ...(details && { details }),
});

export function appendAssistantMessageDiagnostic(message, diagnostic) {
  message.diagnostics = [...(message.diagnostics ?? []), diagnostic];
}
