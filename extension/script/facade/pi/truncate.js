// Texts that are too long for a model.
export const DEFAULT_MAX_LINES = 2000;
export const DEFAULT_MAX_BYTES = 50 * 1024;
export const GREP_MAX_LINE_LENGTH = 500;

export function formatSize(bytes) {
	if (bytes < 1024) return `${bytes}B`;
	if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(1)}KB`;
	return `${(bytes / (1024 * 1024)).toFixed(1)}MB`;
}

const size = (text) => Buffer.byteLength(text);

function truncate(content, { maxLines = DEFAULT_MAX_LINES, maxBytes = DEFAULT_MAX_BYTES } = {}, fromEnd) {
	const lines = content.split("\n");
	if (lines.length > 1 && lines.at(-1) === "") lines.pop();
	const about = { totalLines: content === "" ? 0 : lines.length, totalBytes: size(content), lastLinePartial: false, firstLineExceedsLimit: false, maxLines, maxBytes };
	if (about.totalLines <= maxLines && about.totalBytes <= maxBytes) {
		return { content, truncated: false, truncatedBy: null, outputLines: about.totalLines, outputBytes: about.totalBytes, ...about };
	}
	const order = fromEnd ? lines.toReversed() : lines;
	const kept = [];
	let bytes = 0, by = "lines";
	for (const line of order) {
		if (kept.length >= maxLines) break;
		const more = size(line) + (kept.length > 0 ? 1 : 0);
		if (bytes + more > maxBytes) {
			by = "bytes";
			if (kept.length === 0 && fromEnd) {
				const end = Buffer.from(line);
				let at = end.length - maxBytes;
				while (at < end.length && (end[at] & 0xc0) === 0x80) at++;
				kept.push(end.subarray(at).toString());
				bytes = size(kept[0]);
				about.lastLinePartial = true;
			} else if (kept.length === 0) about.firstLineExceedsLimit = true;
			break;
		}
		kept.push(line);
		bytes += more;
	}
	const text = (fromEnd ? kept.reverse() : kept).join("\n");
	return { content: text, truncated: true, truncatedBy: by, outputLines: kept.length, outputBytes: size(text), ...about };
}

export const truncateHead = (content, options) => truncate(content, options, false);
export const truncateTail = (content, options) => truncate(content, options, true);
export const truncateLine = (line, maxChars = GREP_MAX_LINE_LENGTH) => (line.length <= maxChars ? { text: line, wasTruncated: false } : { text: `${line.slice(0, maxChars)}... [truncated]`, wasTruncated: true });
