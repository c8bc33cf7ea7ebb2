// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "agent/schemavalidator.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <valijson/adapters/qtjson_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include <stdexcept>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype ShownArgs = 200; // Characters of the refused arguments that are quoted back.
constexpr int MostProblems = 20; // A model corrects the first few; hundreds only fill its context.

// The library reads Qt's JSON types. They lose member order and long numbers, which does not matter for a yes
// or no.
QJsonValue toQt(const Json &json)
{
    const QJsonDocument document = QJsonDocument::fromJson("[" + json.toJson() + "]");
    return document.array().at(0);
}

const Json &propertySchema(const Json &schema, const QString &name) { return schema[u"properties"][name]; }

bool isRequired(const Json &schema, const QString &name)
{
    for (const Json &entry : schema[u"required"].elements()) {
        if (entry.toString() == name)
            return true;
    }
    return false;
}

void repair(const Json &schema, Json &args)
{
    QStringList drop;
    for (const Json::Member &member : args.members()) {
        const bool known = schema[u"properties"].contains(member.key);
        if (!known || (member.value.isNull() && !isRequired(schema, member.key)))
            drop.append(member.key);
    }
    for (const QString &name : drop)
        args.remove(name);
}

QString typeWord(const Json &value)
{
    switch (value.type()) {
    case Json::Type::Null:
        return u"null"_s;
    case Json::Type::Bool:
        return u"a boolean"_s;
    case Json::Type::Number:
        return u"a number"_s;
    case Json::Type::String:
        return u"a string"_s;
    case Json::Type::Array:
        return u"an array"_s;
    case Json::Type::Object:
        return u"an object"_s;
    case Json::Type::Raw:
        return u"a value"_s;
    }
    return u"a value"_s;
}

// Required members and plain types make up nearly all refusals; they get sentences of ours, with the member
// as path.
QList<SchemaProblem> plainProblems(const Json &schema, const Json &args)
{
    QList<SchemaProblem> problems;
    for (const Json &entry : schema[u"required"].elements()) {
        if (!args.contains(entry.toString()))
            problems.append({{entry.toString()}, u"is required and missing"_s});
    }
    for (const Json::Member &member : args.members()) {
        const QString type = propertySchema(schema, member.key)[u"type"].toString();
        const Json &value = member.value;
        const bool fits = type.isEmpty() || (type == "string"_L1 && value.isString())
            || (type == "object"_L1 && value.isObject()) || (type == "array"_L1 && value.isArray())
            || (type == "boolean"_L1 && value.isBool()) || (type == "null"_L1 && value.isNull())
            || (type == "number"_L1 && value.isNumber()) || (type == "integer"_L1 && value.toInteger());
        if (!fits)
            problems.append({{member.key}, u"must be of type %1, not %2"_s.arg(type, typeWord(value))});
    }
    return problems;
}

QList<SchemaProblem> libraryProblems(const Json &schema, const Json &args)
{
    QList<SchemaProblem> problems;
    try { // The library reports broken schemas by exception; nothing else here throws.
        valijson::Schema compiled;
        valijson::SchemaParser parser;
        const QJsonValue schemaValue = toQt(schema);
        parser.populateSchema(valijson::adapters::QtJsonAdapter(schemaValue), compiled);
        valijson::Validator validator;
        valijson::ValidationResults results;
        const QJsonValue value = toQt(args);
        if (validator.validate(compiled, valijson::adapters::QtJsonAdapter(value), &results))
            return problems;
        valijson::ValidationResults::Error error;
        while (results.popError(error) && problems.size() < MostProblems) {
            SchemaProblem problem;
            for (const std::string &part : error.context) {
                QString name = QString::fromStdString(part);
                if (name == "<root>"_L1)
                    continue;
                if (name.startsWith(u'[') && name.endsWith(u']'))
                    name = name.sliced(1, name.size() - 2);
                problem.path.append(name);
            }
            problem.text = QString::fromStdString(error.description).left(ShownArgs);
            problems.append(problem);
        }
    } catch (const std::exception &error) {
        problems.append(
            {{},
             u"the tool's own schema cannot be used: "_s + QString::fromUtf8(error.what()).left(ShownArgs)});
    }
    return problems;
}

void addField(Json &node, const QStringList &path, qsizetype depth, const QString &text)
{
    if (depth == path.size()) {
        node.find(u"errors")->append(Json::string(text));
        return;
    }
    Json *fields = node.find(u"fields");
    if (!fields->contains(path[depth])) {
        Json child = Json::object();
        child.set(u"errors"_s, Json::array());
        child.set(u"fields"_s, Json::object());
        fields->set(path[depth], std::move(child));
    }
    addField(*fields->find(path[depth]), path, depth + 1, text);
}

} // namespace

QList<SchemaProblem> SchemaValidator::validate(const QByteArray &schemaText, Json &args)
{
    const Json schema = parseJson(schemaText).value_or(Json::object());
    repair(schema, args);
    const QList<SchemaProblem> plain = plainProblems(schema, args);
    return plain.isEmpty() ? libraryProblems(schema, args) : plain;
}

QByteArray SchemaValidator::refusal(const QString &toolName, const QList<SchemaProblem> &problems,
                                    const QByteArray &args)
{
    QString message =
        u"The call of %1 was not run, because its arguments do not fit the tool."_s.arg(toolName);
    Json tree = Json::object();
    tree.set(u"errors"_s, Json::array());
    tree.set(u"fields"_s, Json::object());
    for (const SchemaProblem &problem : problems) {
        const QString where = problem.path.isEmpty() ? u"root"_s : problem.path.join(u'.');
        message += u"\n- "_s + where + u": "_s + problem.text;
        addField(tree, problem.path, 0, problem.text);
    }
    message += u"\n\nArguments received: "_s + QString::fromUtf8(args).left(ShownArgs);
    return JsonBuilder()
        .add("error"_L1, true)
        .add("message"_L1, message)
        .add("validationErrors"_L1, tree)
        .take();
}

} // namespace Pilothouse
