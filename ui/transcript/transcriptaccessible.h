// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QtGlobal>

namespace Pilothouse {

class TranscriptView;

/// Makes rows of transcript views known to screen readers: a list whose children are made on demand and
/// found by the row's number, so that they outlive resets of the model. Once per process.
void installTranscriptAccessibility();
/// Tells that the row under the keyboard is another one.
void focusRow(TranscriptView *view, qint64 row);
/// The same of a link or button in it, by its place in TranscriptView::targetsOf().
void focusTarget(TranscriptView *view, qint64 row, int target);
/// Says a row that is complete now. Not for rows that still grow.
void announceRow(TranscriptView *view, qint64 row);

} // namespace Pilothouse
